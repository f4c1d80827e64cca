use super::*;
use crate::lifecycle::Lifecycle;
use crate::model::{ActionId, AgentId, Cover, Guard, Guards, Thinkers, Token, TokenId};
use crate::reducer::FsmVersion;
use crate::risk::RiskLevel;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

fn search(version: FsmVersion) -> Proof {
    prove(&Model::new(version, Guards::all()), DEFAULT_LIMIT)
}

/// Version `session` promises no property, so there is hardly anything to search.
static SESSION: LazyLock<Proof> = LazyLock::new(|| search(FsmVersion::Session));
static V0: LazyLock<Proof> = LazyLock::new(|| search(FsmVersion::V0));
static V1: LazyLock<Proof> = LazyLock::new(|| search(FsmVersion::V1));

fn proof(version: FsmVersion) -> &'static Proof {
    match version {
        FsmVersion::V0 => &V0,
        FsmVersion::V1 => &V1,
        FsmVersion::Session => &SESSION,
    }
}

fn with_verdict(proof: &Proof, verdict: &str) -> Vec<Property> {
    proof
        .properties
        .iter()
        .filter(|p| p.outcome.name() == verdict)
        .map(|p| p.id)
        .collect()
}

/// Replays a trace through a separate model. Returns the last step and the situations before and
/// after it.
fn walk(model: &Model, trace: &Trace) -> Option<(World, Step, World)> {
    assert_eq!(trace.steps.len(), trace.moves.len());
    let mut world = trace.start;
    assert!(model.initial().contains(&world));
    let mut last = None;
    for (step, recorded) in trace.moves.iter().zip(&trace.steps) {
        let after = model
            .apply(&world, *step)
            .expect("the model allows every step of its own traces");
        assert_eq!(
            (recorded.from.as_str(), recorded.to.as_str()),
            (world.state.name(), after.state.name())
        );
        last = Some((world, *step, after));
        world = after;
    }
    last
}

/// Checks that the last step of every trace supports the outcome it belongs to.
fn audit(version: FsmVersion, guards: Guards, proof: &Proof) {
    let model = Model::new(version, guards);
    for property in &proof.properties {
        let Some(trace) = property.outcome.trace() else {
            continue;
        };
        let (before, step, after) = walk(&model, trace).expect("a trace has steps");
        let expected = match (property.id, &property.outcome) {
            (Property::P10, Outcome::Proved { .. }) => {
                assert_eq!(after.state, State::Terminal);
                continue;
            }
            (Property::P10, _) => {
                assert_ne!(after.state, State::Terminal);
                continue;
            }
            (_, Outcome::Proved { .. }) => Verdict::Holds,
            (..) => Verdict::Breaks,
        };
        assert_eq!(
            property.id.check(&before, step, &after),
            expected,
            "{}",
            property.id
        );
    }
}

#[test]
fn version_1_has_all_ten_properties_and_none_for_nothing() {
    let proof = proof(FsmVersion::V1);
    assert_eq!(
        with_verdict(proof, "proved"),
        Property::ALL,
        "{}",
        proof.to_text()
    );
    assert!(proof.complete && proof.holds() && !proof.is_violated());
    audit(FsmVersion::V1, Guards::all(), proof);
}

#[test]
fn version_0_lacks_p6_by_its_shortcut_and_has_the_others() {
    let proof = proof(FsmVersion::V0);
    assert_eq!(with_verdict(proof, "violated"), [Property::P6]);
    assert_eq!(with_verdict(proof, "proved").len(), 9);
    audit(FsmVersion::V0, Guards::all(), proof);
    let trace = proof
        .outcome(Property::P6)
        .and_then(Outcome::trace)
        .expect("a counterexample");
    assert_eq!(trace.moves, [Step::Start, Step::Conclude]);
    assert!(proof.is_violated() && !proof.holds());
}

/// Restricts the choices to what the mutations need, which takes a tenth of the time.
fn small(model: Model) -> Model {
    model.restricted(|step| match step {
        Step::Think(thinkers) => *thinkers != Thinkers::Only(AgentId::Second),
        Step::Propose { risk, .. } | Step::Modify { risk, .. } => *risk != RiskLevel::Low,
        Step::Issue(_, cover) => *cover != Cover::Only(ActionId::Second),
        _ => true,
    })
}

#[test]
fn lifting_a_duty_breaks_just_what_hangs_on_it() {
    lift_each(small);
}

#[test]
#[cfg(not(debug_assertions))] // takes a minute in a debug build
fn lifting_a_duty_breaks_just_what_hangs_on_it_in_the_full_model() {
    lift_each(|model| model);
}

fn lift_each(scope: fn(Model) -> Model) {
    use Property::{P1, P2, P3, P4, P5, P6, P7, P8, P9, P10};
    /// Each duty, the properties that break without it, and the length of the shortest
    /// counterexample.
    const TABLE: [(Guard, &[(Property, usize)]); Guard::ALL.len()] = [
        (Guard::ObeysMachine, &[(P6, 1)]),
        (Guard::DecisionOnRecord, &[(P1, 5)]),
        (Guard::GovernorIsNoAgent, &[(P1, 5)]),
        (Guard::PolicyNamesRule, &[(P1, 5)]),
        (Guard::HumanForHigh, &[(P7, 5)]),
        (Guard::TokenPresented, &[(P2, 5)]),
        (Guard::TokenLive, &[(P2, 7), (P4, 7)]),
        (Guard::TokenCovers, &[(P2, 6)]),
        (Guard::RevokedForGood, &[(P4, 8)]),
        (Guard::ChangesAsDeclared, &[(P3, 5)]),
        (Guard::NoReExecution, &[(P5, 12)]),
        (Guard::RunsAsApproved, &[(P8, 5)]),
        (Guard::OneGovernor, &[(P9, 7)]),
        (Guard::OneAgentAtATime, &[(P9, 3)]),
        (Guard::RefusalIsFinished, &[(P10, 6)]),
    ];
    let mut hangs_on: BTreeMap<Property, Vec<Guard>> = BTreeMap::new();
    for (number, (lifted, expected)) in TABLE.into_iter().enumerate() {
        assert_eq!(Guard::ALL[number], lifted);
        let guards = Guards::all().without(lifted);
        let proof = prove(&scope(Model::new(FsmVersion::V1, guards)), DEFAULT_LIMIT);
        let broken: Vec<_> = proof
            .properties
            .iter()
            .filter(|p| p.outcome.name() != "proved")
            .map(|p| (p.id, p.outcome.trace().map_or(0, |t| t.steps.len())))
            .collect();
        assert_eq!(broken, expected, "{lifted:?}\n{}", proof.to_text());
        audit(FsmVersion::V1, guards, &proof);
        for (property, _) in expected {
            hangs_on.entry(*property).or_default().push(lifted);
        }
    }
    for property in Property::ALL {
        assert_eq!(
            hangs_on.get(&property).map(Vec::as_slice),
            Some(property.guards()),
            "{property}"
        );
    }
}

/// Reproduces the bug of the published model: an `Execute` that never fires satisfies everything.
#[test]
fn what_never_happens_is_vacuous_and_no_proof() {
    use Property::{P1, P2, P3, P4, P5, P7, P8};
    let model =
        Model::new(FsmVersion::V1, Guards::all()).restricted(|step| !matches!(step, Step::Run(_)));
    let proof = prove(&model, DEFAULT_LIMIT);
    assert_eq!(
        with_verdict(&proof, "vacuous"),
        [P1, P2, P3, P4, P5, P7, P8]
    );
    assert!(!proof.holds() && !proof.is_violated());
}

#[test]
fn nothing_is_proved_of_sessions() {
    let proof = proof(FsmVersion::Session);
    assert!(with_verdict(proof, "proved").is_empty() && !proof.holds());
}

#[test]
fn a_machine_without_an_end_is_one_dead_end() {
    let model =
        Model::new(FsmVersion::V1, Guards::all()).restricted(|step| matches!(step, Step::Start));
    let proof = prove(&model, DEFAULT_LIMIT);
    let trace = proof
        .outcome(Property::P10)
        .and_then(Outcome::trace)
        .expect("a counterexample");
    assert_eq!(trace.steps.len(), 0);
    assert_eq!(proof.states, 4);
}

#[test]
fn a_search_that_was_cut_short_proves_nothing() {
    for limit in [0, 1, 2, 100, 10_000] {
        let proof = prove(&Model::new(FsmVersion::V1, Guards::all()), limit);
        assert!(!proof.complete && !proof.holds() && !proof.is_violated());
        assert_eq!(with_verdict(&proof, "inconclusive"), Property::ALL);
        assert_eq!(proof.states, limit);
    }
}

#[test]
fn a_violation_stands_even_if_the_search_was_cut_short() {
    let proof = prove(&Model::new(FsmVersion::V0, Guards::all()), 50);
    assert!(!proof.complete);
    assert_eq!(with_verdict(&proof, "violated"), [Property::P6]);
    assert_eq!(with_verdict(&proof, "inconclusive").len(), 9);
}

#[test]
fn a_limit_that_is_just_enough_is_no_limit() {
    let model = Model::new(FsmVersion::V1, Guards::all());
    let states = proof(FsmVersion::V1).states;
    assert!(prove(&model, states).holds());
    assert!(!prove(&model, states - 1).complete);
}

#[test]
fn equal_models_give_equal_proofs() {
    let (first, second) = (proof(FsmVersion::V1), search(FsmVersion::V1));
    assert_eq!(*first, second);
    assert_eq!(first.to_text(), second.to_text());
}

/// Checks the search against an independent one: depth first, with another set, sharing only the
/// model.
#[test]
fn a_depth_first_search_reaches_just_as_much() {
    for version in FsmVersion::ALL {
        let model = Model::new(version, Guards::all());
        let mut seen: HashSet<World> = model.initial().into_iter().collect();
        let mut open: Vec<World> = model.initial().to_vec();
        let mut transitions = 0;
        while let Some(world) = open.pop() {
            for step in &Step::all() {
                if let Some(after) = model.apply(&world, *step) {
                    transitions += 1;
                    if seen.insert(after) {
                        open.push(after);
                    }
                }
            }
        }
        let proof = proof(version);
        assert_eq!((proof.states, proof.transitions), (seen.len(), transitions));
    }
}

/// Checks invariants of all reachable situations. No token is both issued and revoked. An approval
/// is present exactly while the action is approved. A section has a holder exactly while it lasts.
#[test]
fn what_the_model_takes_for_granted_is_so() {
    let search = Search::run(&Model::new(FsmVersion::V1, Guards::all()), DEFAULT_LIMIT);
    for Node { world, .. } in &search.nodes {
        assert!(
            TokenId::ALL
                .iter()
                .all(|t| !matches!(world.token(*t), Token::Reissued(_)))
        );
        for id in ActionId::ALL {
            let action = world.action(id);
            assert_eq!(
                action.approval.is_some(),
                action.lifecycle == Lifecycle::Approved
            );
            let now = world.current == Some(id) && world.state == State::Executing;
            assert_eq!(action.lifecycle == Lifecycle::Approved, now);
            assert_eq!(action.risk.is_none(), action.lifecycle == Lifecycle::Draft);
        }
        let section = matches!(
            world.state,
            State::Governing | State::Executing | State::Observing
        );
        assert_eq!(world.holder.is_some(), section);
    }
}

#[test]
fn the_text_says_all_there_is() {
    let text = proof(FsmVersion::V0).to_text();
    for property in Property::ALL {
        assert!(text.contains(&format!(
            "\n{:<3}  {}\n",
            property.id(),
            property.sentence()
        )));
    }
    assert!(text.contains("VIOLATED: shortest counterexample, 2 steps"));
    assert!(text.contains("  2. Concluded  THINKING -> TERMINAL\n"));
    assert!(text.ends_with("9 proved, 1 violated, 0 vacuous, 0 inconclusive\n"));
    let cut = prove(&Model::new(FsmVersion::V1, Guards::all()), 10).to_text();
    assert!(
        cut.contains("INCONCLUSIVE")
            && cut.ends_with("0 proved, 0 violated, 0 vacuous, 10 inconclusive\n")
    );
}

#[test]
fn the_proof_serialises_flat_and_in_camel_case() {
    let json = serde_json::to_value(proof(FsmVersion::V0)).expect("plain data");
    assert_eq!(json["fsmVersion"], "0");
    let p6 = &json["properties"][5];
    assert_eq!(
        (&p6["id"], &p6["verdict"]),
        (&"P6".into(), &"violated".into())
    );
    assert_eq!(p6["counterexample"]["steps"][1]["to"], "TERMINAL");
    let p1 = &json["properties"][0];
    assert!(p1["witness"]["given"].is_string() && p1["exercised"].is_u64());
    assert!(p1["witness"].get("moves").is_none() && p1["witness"].get("start").is_none());
    let schema = serde_json::to_value(schemars::schema_for!(Proof)).expect("plain data");
    assert_eq!(schema["type"], "object");
}

#![no_main]

//! Any text is a policy that decides, or is refused with problems that lie in it.

use libfuzzer_sys::fuzz_target;
use agent_policy::{Action, History, Request, load};

fuzz_target!(|text: &str| {
    match load("fuzz", text) {
        Ok(policy) => {
            let history = History::default();
            for action in [Action::shell("rm -rf \"$X\" src; cat .e*"), Action::shell(text)] {
                let request = Request::new(&action, &history);
                let decision = policy.decide(&request);
                assert!(!decision.reason().is_empty() || policy.default.reason.is_empty());
                assert_eq!(policy.explain(&request).len(), policy.rules.len());
            }
        }
        Err(problems) => assert!(!problems.is_empty()),
    }
});

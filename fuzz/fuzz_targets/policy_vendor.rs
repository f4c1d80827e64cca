#![no_main]

//! Any text of a vendor's format is a policy that decides as its translation, or is refused.

use agent_policy::{Action, History, Request, VendorFormat, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for format in VendorFormat::ALL {
        match format.translate("fuzz", text) {
            Ok(pack) => {
                let read = [format.load("fuzz", text), load("fuzz", &pack.yaml())];
                let [Ok(policy), Ok(again)] = read else {
                    panic!("the pack of {} can't be read: {}", format.name(), pack.yaml());
                };
                let history = History::default();
                for action in [Action::shell("git push && rm -rf \"$X\""), Action::shell(text)] {
                    let request = Request::new(&action, &history);
                    assert_eq!(policy.decide(&request).effect, again.decide(&request).effect);
                }
            }
            Err(problems) => assert!(!problems.is_empty()),
        }
    }
});

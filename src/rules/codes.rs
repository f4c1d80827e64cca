//! The codes that are used outside of their rules, by the names of the rules.

use crate::diag::Code;

macro_rules! codes {
    ($($name:ident = $code:literal;)*) => {
        $(
            #[doc = concat!("The rule with the number ", $code, ".")]
            pub const $name: Code = Code($code);
        )*

        #[cfg(test)]
        pub(super) const NAMED: &[(&str, Code)] = &[$((stringify!($name), $name),)*];
    };
}

codes! {
    UNREADABLE_INPUT = 101;
    INVALID_JSON = 102;
    SCHEMA_VIOLATION = 103;
    TRUNCATED_RECORD = 104;
    DUPLICATE_MEMBER = 106;
    LIMIT_EXCEEDED = 107;
    UNKNOWN_FORMAT = 108;
    UNEXPECTED_FORMAT = 110;
    ILLEGAL_TRANSITION = 201;
    NO_START = 202;
    UNTERMINATED_EXECUTION = 203;
    TURN_OUT_OF_ORDER = 206;
    CONTRACT_VIOLATION = 210;
    UNAUTHORISED_EXECUTION = 301;
    HIGH_RISK_WITHOUT_HUMAN = 302;
    EXECUTED_OTHER_THAN_APPROVED = 305;
    RESULT_WITHOUT_EXECUTION = 311;
    REUSED_DECISION = 322;
    EFFECT_BEYOND_RISK = 323;
    REPEATED_AFTER_REJECTION = 324;
    NO_CAPABILITY = 401;
    CAPABILITY_OUT_OF_SCOPE = 405;
    CAPABILITY_NOT_ISSUED = 407;
    GOVERNING_POLICY_CHANGED = 521;
    DIFF_DOES_NOT_APPLY = 702;
    PATH_ESCAPES_WORKDIR = 703;
    UNDECLARED_CHANGE = 704;
    PROTECTED_PATH = 705;
    SECRET_IN_TRACE = 803;
}

/// The first code of the rules about executions. Lower codes are about the input.
pub const FIRST_OF_EXECUTIONS: Code = Code(200);

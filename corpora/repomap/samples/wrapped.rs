//! Items that are wrapped by macros.

cfg_net! {
    /// Connects to a host.
    pub fn connect(host: &str) -> Socket {
        Socket::open(host)
    }

    #[derive(Debug)]
    pub struct Socket {
        host: String,
    }

    impl Socket {
        cfg_unix! {
            /// The number of the file.
            pub fn raw(&self) -> i32 {
                number(self)
            }
        }
    }

    cfg_test_util::cfg_more! {
        mod more {
            pub const LIMIT: usize = 3;
        }
    }
}

impl Pool {
    feature! {
        #![feature = "time"]

        pub fn sleep(&self) {}
    }

    pub fn len(&self) -> usize {
        match_it! { struct NotAnItem; }
        items! { a => b }
    }
}

lazy! {
    static ref NAME: String = String::new();
}

map! { "a" => 1 }

thread_local! {
    static DEPTH: Cell<usize> = Cell::new(0);
}

fn last() {}

static mut COUNT: u8 = 0;
static LOCK: Mutex<u8> = Mutex::new(0);
static FIXED: u8 = 0;
const LIMIT: u8 = 1;
fn main() {}
fn pure(x: u8) -> u8 { let y = x; y }
fn load() { let t = std::fs::read_to_string(p); }
fn start() { std::process::Command::new("x").status(); }
fn dial() { TcpStream::connect(a); }
fn threads() { fn inner() { thread::spawn(f); } inner() }
async fn later() {}
fn count() { unsafe { COUNT += 1 } }

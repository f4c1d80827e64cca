use yuangs_verify::{json::*, trace::record::*};
use serde::Deserialize;
fn main(){
 let data=std::fs::read("/tmp/t100.jsonl").unwrap();
 for _ in 0..3 {
 let t=std::time::Instant::now();
 let mut n=0; let mut bad=0;
 let mut sc=Scanner::new("",128);
 for line in data.split(|b|*b==b'\n'){ if line.is_empty(){continue}
  let s=simdutf8::basic::from_utf8(line).unwrap(); sc.reset(s);
  if s.starts_with("{\"record\":\"turn\"") { match Turn::deserialize(&mut Deserializer::new(&mut sc)) {Ok(t)=>{n+=t.turn_id.get()},Err(e)=>{bad+=1; if bad==1 {println!("{e:?} {s}")}}} }
 }
 let dt=t.elapsed().as_secs_f64();
 println!("typed {n} {bad} {:.0} MB/s", data.len() as f64/1e6/dt);
 let t=std::time::Instant::now();
 for line in data.split(|b|*b==b'\n'){ if line.is_empty(){continue}
  let s=simdutf8::basic::from_utf8(line).unwrap(); sc.reset(s); sc.skip().unwrap(); }
 let dt=t.elapsed().as_secs_f64();
 println!("skip {:.0} MB/s", data.len() as f64/1e6/dt);
 let t=std::time::Instant::now();
 for line in data.split(|b|*b==b'\n'){ if line.is_empty(){continue}
  let _:serde::de::IgnoredAny=serde_json::from_slice(line).unwrap(); }
 let dt=t.elapsed().as_secs_f64();
 println!("serde_json ignored {:.0} MB/s", data.len() as f64/1e6/dt);
 }
}

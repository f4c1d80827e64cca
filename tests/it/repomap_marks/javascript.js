let count = 0;
const fixed = 1;
function pure(x) { const y = x; return y; }
function next() { count += 1; }
function load() { return fs.readFileSync(p); }
const start = () => child_process.exec('x');
function dial() { return fetch(u); }
async function later() {}
function serve() { http.createServer(f).listen(1); }

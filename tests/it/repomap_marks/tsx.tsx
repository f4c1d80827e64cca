let shown = false;
export function Page() { return <b>{1}</b>; }
function show() { shown = true; }
function load() { return Bun.file(p); }
function start() { Deno.run(x); }
function dial() { return axios.get(u); }
async function later() {}
addEventListener('x', show);

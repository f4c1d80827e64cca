let count: number = 0;
export function pure(x: number): number { return x; }
export class A {
  next(): void { count++; }
  load(): string { return readFileSync(p); }
  async later(): Promise<void> {}
  start() { execSync('x'); }
}
function dial() { new WebSocket(u); }
app.listen(80);

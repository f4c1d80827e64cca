/** What a handler gets. */
export interface Request {
  path: string;
  method: Method;
}

export interface Response {
  status: number;
  body: string;
}

export enum Method {
  Get = "GET",
  Post = "POST",
}

export type Handler = (request: Request) => Response;
type Routes = Map<string, Handler>;

/** Finds the handler of a path. */
export class Router {
  private routes: Routes;
  private prefix: string;

  constructor(prefix: string) {
    this.routes = new Map();
    this.prefix = prefix;
  }

  add(path: string, handler: Handler): void {
    this.routes.set(join(this.prefix, path), handler);
  }

  find(path: string): Handler | undefined {
    return this.routes.get(normal(path));
  }

  handle(request: Request): Response {
    const handler = this.find(request.path);
    if (handler === undefined) {
      return missing(request.path);
    }
    return handler(request);
  }
}

class LoggingRouter extends Router {
  private lines: string[];

  handle(request: Request): Response {
    this.lines.push(request.path);
    return super.handle(request);
  }

  log(): string[] {
    return this.lines;
  }
}

export function normal(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

function join(one: string, other: string): string {
  return normal(one) + other;
}

function missing(path: string): Response {
  return { status: 404, body: path };
}

export function create(prefix: string, logged: boolean): Router {
  return logged ? new LoggingRouter(prefix) : new Router(prefix);
}

export function parse(line: string): Request {
  const [method, path] = line.split(" ");
  return { method: method as Method, path };
}

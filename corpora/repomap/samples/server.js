'use strict';

const http = require('http');
const LIMIT = 10;
var started = false;

// Answers requests.
function answer(request, { body, ...rest }) {
  const text = render(body);
  function inner() {}
  return text;
}

/**
 * A server.
 */
class Server extends http.Server {
  #port = 80;
  static create = (port) => new Server(port);

  constructor(port) {
    super();
  }

  /** Starts it. */
  async *start(...args) {
    yield* this.listen(this.#port, answer);
  }

  get port() { return this.#port; }
}

const render = (body) => {
  return escape(body);
};

module.exports.stop = function (server) {
  server.close();
};

const routes = {
  index: () => answer(),
  'with space': 1,
  async show(id) { return find(id); },
};

export default class Client {}
export const connect = async (url) => new Client(url);
const Anonymous = class extends Client {};

function* ids() { yield 1; }

const page = <Layout title="x"><Menu /></Layout>;

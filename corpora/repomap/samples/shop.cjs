'use strict';

var debug = require('debug')('shop');
var db = require('./db');
const { join } = require('path');
const version = require('./package.json').version;
var cache = {};
var cache = cache || {};

/** Creates a shop. */
exports = module.exports = function createShop(options) {
  var shop = new Shop(options);
  return shop;
};

function Shop(options) {
  this.options = options;
  this.reset = function () {
    cache = {};
  };
}

// Lists all products.
Shop.prototype.list = function list(page) {
  return db.select('products', page);
};

Shop.open = async function (path) {
  return new Shop(await load(path));
};

exports.LIMIT = 50;
exports.db = require('./db');
exports.load = load;
module.exports.close = () => debug('closed');

var app = module.exports.app = {};
app.use = function use(fn) {
  app.handlers.push(fn);
  return function next(error) {
    return fn(error);
  };
};

function load(path) {
  return join(__dirname, path);
}

module.exports = {
  Shop,
  RETRIES: 3,
  load: load,
  save: function (shop) {
    return db.write(shop);
  },
  remove(shop) {
    delete cache[shop.id];
  },
};

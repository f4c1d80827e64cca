-- Orders and their lines.

-- A customer.
CREATE TABLE customers (
  id SERIAL PRIMARY KEY,
  name TEXT NOT NULL
);

/* An order of a customer. */
CREATE TABLE IF NOT EXISTS shop.orders (
  id SERIAL PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  total NUMERIC(10, 2)
);

CREATE TYPE state AS ENUM ('open', 'paid');

CREATE INDEX orders_by_customer ON shop.orders (customer_id);

-- Orders that aren't paid.
CREATE VIEW open_orders AS
SELECT o.id, c.name
FROM shop.orders AS o
JOIN customers AS c ON c.id = o.customer_id;

CREATE FUNCTION order_total(order_id INTEGER) RETURNS NUMERIC AS $$
  SELECT sum(total) FROM shop.orders WHERE id = order_id;
$$ LANGUAGE sql;

CREATE TRIGGER check_total BEFORE INSERT ON shop.orders
FOR EACH ROW EXECUTE FUNCTION check_order();

INSERT INTO customers (name) VALUES ('Ada');

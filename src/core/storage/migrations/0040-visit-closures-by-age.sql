-- Closures are deleted by age: without an index each look for old ones reads the whole table.
CREATE INDEX visit_closure_by_age ON visit_closure (at, id);

-- Creates the roles of Latchkey in PostgreSQL. Each role gets only the rights that it needs.
--
--   createdb latchkey
--   psql --dbname latchkey --set ON_ERROR_STOP=1 --file roles.sql
--   psql --dbname latchkey            then: \password latchkey_owner, and so on for each
--   latchkey migrate --database postgres://latchkey_owner@db.example/latchkey
--   latchkey serve   --database postgres://latchkey_hub@db.example/latchkey
--
-- If the catalogue of the storage is in this database too:
--
--   latchkey migrate --only storage --storage-database postgres://latchkey_owner@db.example/latchkey
--   latchkey storage serve … --storage-database postgres://latchkey_storage@db.example/latchkey
--
-- Run it as a superuser, once for each database. A second run changes nothing.

-- Owns the tables. Only "latchkey migrate" uses it: before the first start, and before an upgrade.
SELECT 'CREATE ROLE latchkey_owner LOGIN'
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'latchkey_owner') \gexec
-- All hubs.
SELECT 'CREATE ROLE latchkey_hub LOGIN'
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'latchkey_hub') \gexec
-- All storages that keep their catalogue here.
SELECT 'CREATE ROLE latchkey_storage LOGIN'
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'latchkey_storage') \gexec

-- jit compiles even statements that take a millisecond. A hub turns it off by itself, but not through a pooler.
ALTER ROLE latchkey_hub SET jit = off;
ALTER ROLE latchkey_storage SET jit = off;

-- Other roles must not connect, make temporary tables, or add tables to the schema public.
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO latchkey_owner, latchkey_hub, latchkey_storage;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- Hub and storage have separate schemas and cannot read each other's tables.
CREATE SCHEMA IF NOT EXISTS latchkey_hub AUTHORIZATION latchkey_owner;
CREATE SCHEMA IF NOT EXISTS latchkey_storage AUTHORIZATION latchkey_owner;
GRANT USAGE ON SCHEMA latchkey_hub TO latchkey_hub;
GRANT USAGE ON SCHEMA latchkey_storage TO latchkey_storage;

-- These roles read and write rows, but cannot change tables. Tables of later migrations get the same rights.
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_hub
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO latchkey_hub;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_hub
  GRANT USAGE ON SEQUENCES TO latchkey_hub;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_hub
  GRANT EXECUTE ON FUNCTIONS TO latchkey_hub;

ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_storage
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO latchkey_storage;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_storage
  GRANT USAGE ON SEQUENCES TO latchkey_storage;
ALTER DEFAULT PRIVILEGES FOR ROLE latchkey_owner IN SCHEMA latchkey_storage
  GRANT EXECUTE ON FUNCTIONS TO latchkey_storage;

-- For tables of latchkey_owner that existed before you ran this file.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA latchkey_hub TO latchkey_hub;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA latchkey_hub TO latchkey_hub;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA latchkey_hub TO latchkey_hub;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA latchkey_storage TO latchkey_storage;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA latchkey_storage TO latchkey_storage;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA latchkey_storage TO latchkey_storage;

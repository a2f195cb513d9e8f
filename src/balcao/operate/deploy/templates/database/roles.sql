-- For the administrator of PostgreSQL: run once, as a superuser, e.g. `psql -v ON_ERROR_STOP=1 -f roles.sql`.
-- The first role owns the tables (migrations, retention). The services log in with the second role, which owns nothing.
-- The third role copies the whole server (docs/operate/backup.md) and reads no table. The panel uses the fourth role and
-- the site uses the fifth role; both roles can access only the sessions of their own program.
CREATE ROLE {{ database_name }} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{{ secrets.owner_password }}';
CREATE ROLE {{ database_name }}_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{{ secrets.app_password }}';
CREATE ROLE {{ database_name }}_backup LOGIN REPLICATION NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{{ secrets.backup_password }}';
CREATE ROLE {{ database_name }}_panel LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{{ secrets.panel_password }}';
CREATE ROLE {{ database_name }}_site LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '{{ secrets.site_password }}';
CREATE DATABASE {{ database_name }} OWNER {{ database_name }} ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE {{ database_name }} FROM PUBLIC;
GRANT CONNECT ON DATABASE {{ database_name }} TO {{ database_name }}_app, {{ database_name }}_backup, {{ database_name }}_panel, {{ database_name }}_site;

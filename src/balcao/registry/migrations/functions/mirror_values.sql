-- How values of the mirror are compared (rules: registry 4.2).

-- Return the form in which values of a field are compared: an empty value is null, the case of an e-mail is ignored,
-- and only the digits of a phone count.
CREATE OR REPLACE FUNCTION registry.compared(field text, value jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN value IN ('""', '[]') THEN 'null'::jsonb
    WHEN jsonb_typeof(value) = 'string' AND field = 'email' THEN to_jsonb(lower(btrim(value #>> '{}')))
    WHEN jsonb_typeof(value) = 'string' AND field LIKE 'telefone%'
        THEN to_jsonb(regexp_replace(value #>> '{}', '[^0-9]', '', 'g'))
    ELSE value
END;

-- Return whether a value of the CRM is later than another one. At equal times null wins, then the greater text, so that
-- the result does not depend on the order of the events.
CREATE OR REPLACE FUNCTION registry.is_later_word(at timestamptz, value jsonb, than_at timestamptz, than_value jsonb)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN than_at IS NULL
    OR (at, value = 'null', value::text COLLATE "C") > (than_at, than_value = 'null', than_value::text COLLATE "C");

-- Operations whose rule nobody changes, as the specification says who calls them (rules: access 4.1).
ALTER TABLE access.endpoint_mapping DROP CONSTRAINT endpoint_mapping_floor_check;
ALTER TABLE access.endpoint_mapping ADD CONSTRAINT endpoint_mapping_floor_check
    CHECK (floor IN ('public', 'authenticated', 'action', 'fixed'));

-- Whether an administrator's rebinding of an operation is one that its code now refuses. All that is fixed answers
-- every valid token.
CREATE OR REPLACE FUNCTION access.under_floor(action_id bigint, floor text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM access.action
        WHERE id = action_id AND (code_key = 'platform:public' AND floor <> 'public'
                                  OR code_key = 'platform:authenticated' AND floor = 'action'
                                  OR floor = 'fixed' AND code_key IS DISTINCT FROM 'platform:authenticated'))
$$;

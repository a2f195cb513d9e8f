-- Rows of a plan get their ids before the lock is taken, so that only writing them is done under it.
GRANT USAGE ON SEQUENCE access.action_id_seq, access.role_id_seq, access.grp_id_seq, access.endpoint_mapping_id_seq
    TO balcao_app;

-- Citizens change their own pets (rules: registry 3.7).
GRANT UPDATE (record) ON registry.own_pet TO balcao_app;

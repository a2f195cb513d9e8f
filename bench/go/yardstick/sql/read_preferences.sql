SELECT coalesce(preferences.opt_in, true) AS opt_in,
       categories.opt_ins,
       coalesce(preferences.updated_at, categories.updated_at) AS updated_at
FROM (
    SELECT jsonb_object_agg(category.id, coalesce(choice.opt_in, category.default_opt_in))
               FILTER (WHERE category.active)::text AS opt_ins,
           max(category.updated_at) AS updated_at
    FROM registry.notification_category AS category
    LEFT JOIN registry.preference_choice AS choice ON choice.category_id = category.id AND choice.cpf = $1
) AS categories
LEFT JOIN registry.preferences ON preferences.cpf = $1

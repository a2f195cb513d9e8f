package main

import _ "embed"

// The platform's own statements. If the platform also has a variant that serves several callers at once, this is the
// variant for a single caller.
var (
	//go:embed sql/read_catalogue.sql
	readCatalogueSQL string
	//go:embed sql/read_people.sql
	readPeopleSQL string
	//go:embed sql/read_preferences.sql
	readPreferencesSQL string
	//go:embed sql/read_config.sql
	readConfigSQL string
	//go:embed sql/list_risks.sql
	listRisksSQL string
	//go:embed sql/accept_event.sql
	acceptEventSQL string
	//go:embed sql/record_audit.sql
	recordAuditSQL string
	//go:embed sql/list_pets.sql
	listPetsSQL string
	//go:embed sql/count_own_pets.sql
	countOwnPetsSQL string
	//go:embed sql/lock_own_pets.sql
	lockOwnPetsSQL string
	//go:embed sql/insert_own_pet.sql
	insertOwnPetSQL string
	//go:embed sql/lock_idempotency_key.sql
	lockIdempotencyKeySQL string
	//go:embed sql/read_kept_answer.sql
	readKeptAnswerSQL string
	//go:embed sql/forget_kept_answer.sql
	forgetKeptAnswerSQL string
	//go:embed sql/keep_answer.sql
	keepAnswerSQL string
)

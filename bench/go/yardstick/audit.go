package main

import "github.com/jackc/pgx/v5"

// queueAudit adds the audit event of an owner's own change to the change's transaction.
func queueAudit(batch *pgx.Batch, call *call, action, subject string, fields []string) {
	batch.Queue(recordAuditSQL,
		newID(), call.requestID, call.operation, action, hashCPF(subject), maskCPF(subject), "owner",
		hashCPF(call.caller.cpf), hashKeyNumber, call.caller.client, call.grant, fields, nil, "done")
}

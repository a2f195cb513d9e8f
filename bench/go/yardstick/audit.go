package main

import "github.com/jackc/pgx/v5"

// queueAudit adds an audit event to the transaction in which an owner changes their own data.
func queueAudit(batch *pgx.Batch, call *call, action, subject string, fields []string) {
	batch.Queue(recordAuditSQL,
		newID(), call.requestID, call.operation, action, hashCPF(subject), maskCPF(subject), "owner",
		hashCPF(call.caller.cpf), hashKeyNumber, call.caller.client, call.grant, fields, nil, "done")
}

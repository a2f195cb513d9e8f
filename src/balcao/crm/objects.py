"""The names of the CRM's objects. The objects with further data of a person are in the map of fields."""

ACCOUNT = "Account"
CONSENT = "Consentimento__c"
ERASURE = "SolicitacaoAnonimizacao__c"  # a request to anonymise a person
CASE, CASE_STEP = "Case", "PassoPedido__c"

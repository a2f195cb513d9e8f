"""The names of the CRM's objects. The field map contains the objects with further data about a person."""

ACCOUNT = "Account"
CONSENT = "Consentimento__c"
ERASURE = "SolicitacaoAnonimizacao__c"  # a request to anonymise a person
CASE, CASE_STEP = "Case", "PassoPedido__c"

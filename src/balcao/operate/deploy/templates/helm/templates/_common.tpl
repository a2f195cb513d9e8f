{{- define "balcao.metadata" -}}
namespace: {{ .Release.Namespace }}
labels: {app.kubernetes.io/part-of: balcao}
{{- end }}

{{/* The common part of every pod: no privileges on the node, no access to the cluster's API, a read-only root file
system. Citizens' files need BALCAO_FILES_S3_URL. Without it, the platform refuses files, because the volume `files` is
mounted read-only: files in a pod would be lost with it. */}}
{{- define "balcao.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - {name: {{ . }}}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - {name: data, emptyDir: {}}
  - {name: files, emptyDir: {}}
  - {name: tmp, emptyDir: {}}
  - {name: certificates, configMap: {name: {{ .Values.certificates }}, optional: true}}
{{- end }}

{{- define "balcao.container" -}}
image: "{{ .Values.image.name }}:{{ .Values.image.tag }}"
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: data, mountPath: /var/lib/balcao}
  - {name: files, mountPath: /var/lib/balcao/files, readOnly: true}
  - {name: tmp, mountPath: /tmp}
  - {name: certificates, mountPath: /etc/balcao/certificates, readOnly: true}
{{- end }}

{{- define "balcao.environment" -}}
env:
  - {name: BALCAO_HOST, value: 0.0.0.0}
  - {name: BALCAO_MANAGEMENT_HOST, value: 0.0.0.0}
  - {name: BALCAO_PANEL_API_URL, value: "http://balcao-api:{{ .Values.ports.http }}"}
  - {name: BALCAO_TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }}}
  - {name: SSL_CERT_FILE, valueFrom: {configMapKeyRef: {name: {{ .Values.certificates }}, key: path, optional: true}}}
envFrom:
  - secretRef: {name: {{ .Values.secrets.settings }}}
{{- end }}

{{- define "authsvc.selector" -}}
app.kubernetes.io/name: authsvc
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "authsvc.labels" -}}
{{ include "authsvc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "authsvc-%s" .Chart.Version }}
{{- end }}

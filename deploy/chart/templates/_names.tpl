{{- define "gitops-ipam.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "gitops-ipam.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gitops-ipam.selector" -}}
app.kubernetes.io/name: {{ include "gitops-ipam.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gitops-ipam.labels" -}}
{{ include "gitops-ipam.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "gitops-ipam.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- /* What the schema cannot say, because it is about several values. */ -}}
{{- define "gitops-ipam.check" -}}
{{- $git := .Values.git -}}
{{- if not $git.remote -}}
{{- fail "git.remote is empty: name the repository, --set git.remote=https://git.example.com/platform/addresses.git" -}}
{{- end -}}
{{- if and (hasPrefix "https://" $git.remote) (not $git.token.secret) -}}
{{- fail "git.token.secret is empty, and git.remote is an https URL: name the Secret that holds a token which may push" -}}
{{- end -}}
{{- $isLocal := or (hasPrefix "file://" $git.remote) (hasPrefix "/" $git.remote) -}}
{{- if and (not (hasPrefix "https://" $git.remote)) (not $isLocal) (not $git.ssh.secret) -}}
{{- fail "git.ssh.secret is empty, and git.remote is reached by ssh: name the Secret that holds the private key and known_hosts" -}}
{{- end -}}
{{- $several := and (eq .Values.mode "daemon") (gt (int .Values.daemon.replicas) 1) -}}
{{- if and .Values.persistence.enabled $several (ne .Values.persistence.accessMode "ReadWriteMany") -}}
{{- fail "persistence.accessMode is not ReadWriteMany, and daemon.replicas is more than 1: Pods on two nodes could not share the volume; set daemon.replicas=1, or a class that is ReadWriteMany" -}}
{{- end -}}
{{- if and .Values.clusters.breakGlass (not .Values.clusters.policies) -}}
{{- fail "clusters.breakGlass needs clusters.policies=true" -}}
{{- end -}}
{{- end -}}

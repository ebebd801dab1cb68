{{- /*
A role, and its binding to the account that applies.
  root       the chart
  why        what it is for
  name       of both
  rules      the name of its rules in _rights.tpl
  also       further rules of the same role, by their name
  namespace  of a Role; empty for a ClusterRole
  bound      whether it is bound: everywhere, or in `namespace`
  within     namespaces of RoleBindings to a ClusterRole, in place of a ClusterRoleBinding
*/ -}}
{{- define "gitops-ipam.role" -}}
---
# {{ .why }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "Role" "ClusterRole" (ne .namespace "") }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "gitops-ipam.labels" .root | nindent 4 }}
rules:
  {{- include (print "gitops-ipam.rules." .rules) .root | nindent 2 }}
  {{- with .also }}
  {{- include (print "gitops-ipam.rules." .rules) $.root | nindent 2 }}
  {{- end }}
{{- if .bound }}
{{- $role := . }}
{{- range (default (list .namespace) .within) }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (ne . "") }}
metadata:
  name: {{ $role.name }}
  {{- if . }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "gitops-ipam.labels" $role.root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "Role" "ClusterRole" (ne $role.namespace "") }}
  name: {{ $role.name }}
subjects:
  - kind: ServiceAccount
    name: {{ $role.root.Values.serviceAccount.apply }}
    namespace: {{ $role.root.Release.Namespace }}
{{- end }}
{{- end }}
{{ end -}}

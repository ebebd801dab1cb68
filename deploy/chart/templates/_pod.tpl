{{- /* Arguments of `ipam reconcile` and `ipam apply` that say where Git is. */ -}}
{{- define "gitops-ipam.gitArgs" -}}
- --remote
- $(REMOTE)
{{- if .Values.git.branch }}
- --branch
- $(BRANCH)
{{- end }}
{{- if .Values.git.root }}
- --root
- $(ROOT)
{{- end }}
{{- end -}}

{{- /* Those of whoever commits. */ -}}
{{- define "gitops-ipam.commitArgs" -}}
{{- if .Values.git.author }}
- --author
- {{ .Values.git.author | quote }}
{{- end }}
{{- if .Values.git.signing.secret }}
- --sign
- /etc/gitops-ipam/signing/{{ .Values.git.signing.key }}
{{- end }}
{{- end -}}

{{- /* Those of whoever applies. */ -}}
{{- define "gitops-ipam.applyArgs" -}}
{{- with .Values.clusters }}
{{- if .management.secret }}
- --kubeconfig
- /etc/gitops-ipam/management/{{ .management.key }}
{{- end }}
{{- if .kubeconfigs }}
- --clusters
- /etc/gitops-ipam/kubeconfigs
{{- end }}
- --timeout
- {{ .timeout }}
- --default-port
- {{ .defaultPort | quote }}
{{- if .policies }}
- --policies
{{- end }}
{{- range .breakGlass }}
- --break-glass
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "gitops-ipam.podMetadata" -}}
labels:
  {{- include "gitops-ipam.selector" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $notes := .root.Values.podAnnotations }}
{{- if eq .component "daemon" }}
{{- $notes = merge (dict "checksum/config" (include (print .root.Template.BasePath "/configmap.yaml") .root | sha256sum)) $notes }}
{{- end }}
{{- with $notes }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /*
The spec of a Pod.
  root       the chart
  account    its ServiceAccount
  applies    whether it works in clusters
  commits    whether it writes to Git
  args       its arguments, as YAML
  persists   whether its cache is kept
  serves     whether it listens
  restart    its restartPolicy
*/ -}}
{{- define "gitops-ipam.podSpec" -}}
{{- $values := .root.Values -}}
{{- $fullname := include "gitops-ipam.fullname" .root -}}
{{- $token := $values.git.token -}}
{{- if and (not .commits) $values.git.readToken.secret }}{{ $token = $values.git.readToken }}{{ end -}}
{{- $ssh := $values.git.ssh -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: {{ and .applies (not $values.clusters.management.secret) }}
restartPolicy: {{ .restart }}
{{- if .serves }}
terminationGracePeriodSeconds: {{ $values.daemon.terminationGracePeriodSeconds }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ $values.runAsUser }}
  runAsGroup: {{ $values.runAsUser }}
  fsGroup: {{ $values.runAsUser }}
  # Otherwise the kubelet makes a persistent cache writable for the group, and ipam ignores it.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: ipam
    image: {{ include "gitops-ipam.image" .root | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args:
      {{- .args | trim | nindent 6 }}
    envFrom:
      - configMapRef:
          name: {{ $fullname }}
    env:
      {{- if $token.secret }}
      - name: IPAM_GIT_TOKEN
        valueFrom:
          secretKeyRef:
            name: {{ $token.secret }}
            key: {{ $token.key }}
      {{- end }}
      {{- if $ssh.secret }}
      - name: GIT_SSH_COMMAND
        value: >-
          ssh -F none -i /etc/gitops-ipam/ssh/{{ $ssh.key }}
          -o UserKnownHostsFile=/etc/gitops-ipam/ssh/{{ $ssh.knownHosts }}
          -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o BatchMode=yes
      {{- end }}
      {{- if $values.git.authority.configMap }}
      - name: GIT_SSL_CAINFO
        value: /etc/gitops-ipam/authority/{{ $values.git.authority.key }}
      {{- end }}
      - name: XDG_CACHE_HOME
        value: /cache
      {{- with $values.env }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- if .serves }}
    ports:
      - name: metrics
        containerPort: {{ $values.http.port }}
    {{- $scheme := ternary "HTTPS" "HTTP" (ne $values.http.tls.secret "") }}
    startupProbe:
      httpGet:
        path: /healthz
        port: metrics
        scheme: {{ $scheme }}
      # The first clone of a large repository.
      failureThreshold: 60
      periodSeconds: 5
    livenessProbe:
      httpGet:
        path: /healthz
        port: metrics
        scheme: {{ $scheme }}
      periodSeconds: 30
      timeoutSeconds: 5
    readinessProbe:
      httpGet:
        path: /readyz
        port: metrics
        scheme: {{ $scheme }}
      periodSeconds: 10
      timeoutSeconds: 5
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    {{- with $values.resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    volumeMounts:
      - name: cache
        mountPath: /cache
      - name: tmp
        mountPath: /tmp
      {{- range (include "gitops-ipam.mounts" . | fromYamlArray) }}
      - name: {{ .name }}
        mountPath: /etc/gitops-ipam/{{ .name }}
        readOnly: true
      {{- end }}
volumes:
  - name: cache
    {{- if and .persists $values.persistence.enabled }}
    persistentVolumeClaim:
      claimName: {{ default (print $fullname "-cache") $values.persistence.existingClaim }}
    {{- else }}
    emptyDir:
      sizeLimit: {{ $values.persistence.size }}
    {{- end }}
  - name: tmp
    emptyDir:
      medium: Memory
      sizeLimit: 64Mi
  {{- range (include "gitops-ipam.mounts" . | fromYamlArray) }}
  - name: {{ .name }}
    {{- if .configMap }}
    configMap:
      name: {{ .configMap }}
    {{- else }}
    secret:
      secretName: {{ .secret }}
      defaultMode: 0400
    {{- end }}
  {{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $values.affinity }}
affinity:
  {{- toYaml $values.affinity | nindent 2 }}
{{- else if .serves }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "gitops-ipam.selector" .root | nindent 14 }}
              app.kubernetes.io/component: daemon
{{- end }}
{{- end -}}

{{- /* What lies below /etc/gitops-ipam: a list of names with their Secret or ConfigMap. */ -}}
{{- define "gitops-ipam.mounts" -}}
{{- $values := .root.Values -}}
{{- $found := list -}}
{{- if $values.git.ssh.secret -}}
{{- $found = append $found (dict "name" "ssh" "secret" $values.git.ssh.secret) -}}
{{- end -}}
{{- if $values.git.authority.configMap -}}
{{- $found = append $found (dict "name" "authority" "configMap" $values.git.authority.configMap) -}}
{{- end -}}
{{- if and .commits $values.git.signing.secret -}}
{{- $found = append $found (dict "name" "signing" "secret" $values.git.signing.secret) -}}
{{- end -}}
{{- if and .applies $values.clusters.management.secret -}}
{{- $found = append $found (dict "name" "management" "secret" $values.clusters.management.secret) -}}
{{- end -}}
{{- if and .applies $values.clusters.kubeconfigs -}}
{{- $found = append $found (dict "name" "kubeconfigs" "secret" $values.clusters.kubeconfigs) -}}
{{- end -}}
{{- if and .serves $values.http.tls.secret -}}
{{- $found = append $found (dict "name" "tls" "secret" $values.http.tls.secret) -}}
{{- end -}}
{{- if and .serves $values.http.hook.secret -}}
{{- $found = append $found (dict "name" "hook" "secret" $values.http.hook.secret) -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

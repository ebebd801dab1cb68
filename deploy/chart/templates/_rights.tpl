{{- /* Written by `make manifests` from reconciler/apply/rights.py. Do not edit. */ -}}
{{- define "gitops-ipam.rules.management" -}}
# The uid of kube-system identifies the cluster.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list]
- apiGroups: [butler.butlerlabs.dev]
  resources: [networkpools, ipallocations]
  verbs: [get, list, create, patch, delete]
- apiGroups: [butler.butlerlabs.dev]
  resources: [networkpools/status, ipallocations/status, providerconfigs/status, tenantclusters/status]
  verbs: [patch]
- apiGroups: [ipam.cluster.x-k8s.io]
  resources: [globalinclusterippools, inclusterippools, ipaddresses, ipaddressclaims]
  verbs: [get, list, create, patch, delete]
- apiGroups: [ipam.cluster.x-k8s.io]
  resources: [globalinclusterippools/status, inclusterippools/status, ipaddressclaims/status]
  verbs: [patch]
- apiGroups: [novaedge.io]
  resources: [proxyippools]
  verbs: [get, list, create, patch, delete]
- apiGroups: [novaedge.io]
  resources: [proxyippools/status, proxyvips/status]
  verbs: [patch]
- apiGroups: [butler.butlerlabs.dev]
  resources: [providerconfigs, tenantclusters]
  verbs: [get, list]
- apiGroups: [""]
  resources: [events]
  verbs: [list, create]
- apiGroups: [cluster.x-k8s.io]
  resources: [clusters]
  verbs: [list, patch]
- apiGroups: [novaedge.io]
  resources: [proxyvips]
  verbs: [get, list]
# Create missing namespaces. Without this permission, create them yourself.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [create, patch]
# Import objects that are not in Git, if Settings name their kind.
- apiGroups: [cluster.x-k8s.io]
  resources: [clusterclasses]
  verbs: [list]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get]
# Show users of reserved addresses in the status of pools. Optional.
- apiGroups: [""]
  resources: [services, nodes]
  verbs: [list]
- apiGroups: [cluster.x-k8s.io]
  resources: [machines]
  verbs: [list]
- apiGroups: [butler.butlerlabs.dev]
  resources: [networkpools, ipallocations, providerconfigs, teams, tenantclusters]
  verbs: [watch]
- apiGroups: [ipam.cluster.x-k8s.io]
  resources: [globalinclusterippools, inclusterippools, ipaddresses, ipaddressclaims]
  verbs: [watch]
- apiGroups: [novaedge.io]
  resources: [proxyippools, proxyvips]
  verbs: [watch]
- apiGroups: [cluster.x-k8s.io]
  resources: [clusters, clusterclasses, machines]
  verbs: [watch]
# An address can only be withdrawn if no Service or node uses it.
- apiGroups: [""]
  resources: [nodes, services]
  verbs: [watch]
{{- end -}}
{{- define "gitops-ipam.rules.secrets" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [list, watch]
{{- end -}}
{{- define "gitops-ipam.rules.home" -}}
# The inventory.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, create, patch, delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get, create, patch]
{{- end -}}
{{- define "gitops-ipam.rules.kubeconfigs" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
{{- end -}}
{{- define "gitops-ipam.rules.crds" -}}
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get, create, patch]
{{- end -}}
{{- define "gitops-ipam.rules.policies" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingadmissionpolicies, validatingadmissionpolicybindings]
  verbs: [get, list, create, patch, delete]
{{- end -}}
{{- define "gitops-ipam.rules.documents" -}}
- apiGroups: [butler.butlerlabs.dev]
  resources: [providerconfigs, tenantclusters]
  verbs: [create, patch, delete]
- apiGroups: [butler.butlerlabs.dev]
  resources: [teams]
  verbs: [get, list, create, patch, delete]
- apiGroups: [novaedge.io]
  resources: [proxyvips]
  verbs: [create, patch, delete]
{{- end -}}
{{- define "gitops-ipam.rules.tenant" -}}
# The uid of kube-system identifies the cluster.
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: [kube-system]
  verbs: [get]
# An address can only be withdrawn if no Service or node uses it.
- apiGroups: [""]
  resources: [services, nodes]
  verbs: [list]
- apiGroups: [""]
  resources: [services]
  verbs: [watch]
{{- end -}}
{{- define "gitops-ipam.rules.metallb" -}}
# The inventory.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, create, patch, delete]
- apiGroups: [metallb.io]
  resources: [ipaddresspools, l2advertisements]
  verbs: [get, list, create, patch, delete]
- apiGroups: [metallb.io]
  resources: [configurationstates]
  verbs: [list]
- apiGroups: [metallb.io]
  resources: [ipaddresspools, l2advertisements]
  verbs: [watch]
{{- end -}}
{{- define "gitops-ipam.rules.inventory" -}}
# The inventory.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [list, create]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [gitops-ipam-inventory]
  verbs: [patch, delete]
{{- end -}}
{{- define "gitops-ipam.rules.tenant-policies" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingadmissionpolicies, validatingadmissionpolicybindings]
  verbs: [get, list, create, patch, delete]
{{- end -}}

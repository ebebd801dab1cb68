"""Real API servers for tests: built once from Go modules, started for a session on loopback.

`make envtest` builds etcd, kube-apiserver, kubectl, MetalLB's controller, Cluster API's in-cluster
IPAM provider, helm, Prometheus and promtool into a cache folder, and
actionlint and Cilium's LB-IPAM into others.
`KUBEBUILDER_ASSETS` names a folder that has the first three already, as `setup-envtest` makes it.
Those are enough for all tests but the few that start a controller, render the chart, ask
Prometheus, lint workflows, or need Cluster API's own CRDs."""

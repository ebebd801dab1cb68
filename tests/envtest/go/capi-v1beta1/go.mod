module gitops-ipam.dev/envtest/capi-v1beta1

go 1.26.0

require sigs.k8s.io/cluster-api v1.10.4

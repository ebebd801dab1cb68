"""What TenantCluster.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_butler_tenantcluster_json(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['apiVersion', 'kind', 'metadata']) - data.keys()
        if data__missing_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must contain ")
        data_keys = set(data.keys())
        if "apiVersion" in data_keys:
            data_keys.remove("apiVersion")
            data__apiVersion = data["apiVersion"]
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'butler.butlerlabs.dev/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['butler.butlerlabs.dev/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'TenantCluster'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['TenantCluster']")
        if "metadata" in data_keys:
            data_keys.remove("metadata")
            data__metadata = data["metadata"]
            if not isinstance(data__metadata, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must be object")
            data__metadata_is_dict = isinstance(data__metadata, dict)
            if data__metadata_is_dict:
                data__metadata__missing_keys = set(['name']) - data__metadata.keys()
                if data__metadata__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must contain ")
                data__metadata_keys = set(data__metadata.keys())
                if "name" in data__metadata_keys:
                    data__metadata_keys.remove("name")
                    data__metadata__name = data__metadata["name"]
                    if not isinstance(data__metadata__name, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.name must be string")
                if "labels" in data__metadata_keys:
                    data__metadata_keys.remove("labels")
                    data__metadata__labels = data__metadata["labels"]
                    if not isinstance(data__metadata__labels, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels must be object")
                    data__metadata__labels_is_dict = isinstance(data__metadata__labels, dict)
                    if data__metadata__labels_is_dict:
                        data__metadata__labels_keys = set(data__metadata__labels.keys())
                        for data__metadata__labels_key in data__metadata__labels_keys:
                            if data__metadata__labels_key not in []:
                                data__metadata__labels_value = data__metadata__labels.get(data__metadata__labels_key)
                                if not isinstance(data__metadata__labels_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must be string")
                                if isinstance(data__metadata__labels_value, str):
                                    data__metadata__labels_value_len = len(data__metadata__labels_value)
                                    if data__metadata__labels_value_len > 63:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must be shorter than or equal to 63 characters")
                                    if not REGEX_PATTERNS['^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'].search(data__metadata__labels_value):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must match pattern ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
                if "annotations" in data__metadata_keys:
                    data__metadata_keys.remove("annotations")
                    data__metadata__annotations = data__metadata["annotations"]
                    if not isinstance(data__metadata__annotations, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations must be object")
                    data__metadata__annotations_is_dict = isinstance(data__metadata__annotations, dict)
                    if data__metadata__annotations_is_dict:
                        data__metadata__annotations_keys = set(data__metadata__annotations.keys())
                        if "gitops-ipam.dev/metallb-pool" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/metallb-pool")
                            data__metadata__annotations__gitopsipamdevmetallbpool = data__metadata__annotations["gitops-ipam.dev/metallb-pool"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevmetallbpool, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/metallb-pool must be string")
                        for data__metadata__annotations_key in data__metadata__annotations_keys:
                            if data__metadata__annotations_key not in ['gitops-ipam.dev/metallb-pool']:
                                data__metadata__annotations_value = data__metadata__annotations.get(data__metadata__annotations_key)
                                if not isinstance(data__metadata__annotations_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.{data__metadata__annotations_key}".format(**locals()) + " must be string")
                if "namespace" in data__metadata_keys:
                    data__metadata_keys.remove("namespace")
                    data__metadata__namespace = data__metadata["namespace"]
                    if not isinstance(data__metadata__namespace, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.namespace must be string")
        if "spec" in data_keys:
            data_keys.remove("spec")
            data__spec = data["spec"]
            if not isinstance(data__spec, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must be object")
            data__spec_is_dict = isinstance(data__spec, dict)
            if data__spec_is_dict:
                data__spec_keys = set(data__spec.keys())
                if "providerConfigRef" in data__spec_keys:
                    data__spec_keys.remove("providerConfigRef")
                    data__spec__providerConfigRef = data__spec["providerConfigRef"]
                    if not isinstance(data__spec__providerConfigRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef must be object")
                    data__spec__providerConfigRef_is_dict = isinstance(data__spec__providerConfigRef, dict)
                    if data__spec__providerConfigRef_is_dict:
                        data__spec__providerConfigRef__missing_keys = set(['name']) - data__spec__providerConfigRef.keys()
                        if data__spec__providerConfigRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef must contain ")
                        data__spec__providerConfigRef_keys = set(data__spec__providerConfigRef.keys())
                        if "name" in data__spec__providerConfigRef_keys:
                            data__spec__providerConfigRef_keys.remove("name")
                            data__spec__providerConfigRef__name = data__spec__providerConfigRef["name"]
                            if not isinstance(data__spec__providerConfigRef__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.name must be string")
                            if isinstance(data__spec__providerConfigRef__name, str):
                                data__spec__providerConfigRef__name_len = len(data__spec__providerConfigRef__name)
                                if data__spec__providerConfigRef__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.name must be longer than or equal to 1 characters")
                                if data__spec__providerConfigRef__name_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.name must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__providerConfigRef__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if "namespace" in data__spec__providerConfigRef_keys:
                            data__spec__providerConfigRef_keys.remove("namespace")
                            data__spec__providerConfigRef__namespace = data__spec__providerConfigRef["namespace"]
                            if not isinstance(data__spec__providerConfigRef__namespace, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.namespace must be string")
                            if isinstance(data__spec__providerConfigRef__namespace, str):
                                data__spec__providerConfigRef__namespace_len = len(data__spec__providerConfigRef__namespace)
                                if data__spec__providerConfigRef__namespace_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.namespace must be longer than or equal to 1 characters")
                                if data__spec__providerConfigRef__namespace_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.namespace must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__providerConfigRef__namespace):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.providerConfigRef.namespace must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                if "teamRef" in data__spec_keys:
                    data__spec_keys.remove("teamRef")
                    data__spec__teamRef = data__spec["teamRef"]
                    if not isinstance(data__spec__teamRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef must be object")
                    data__spec__teamRef_is_dict = isinstance(data__spec__teamRef, dict)
                    if data__spec__teamRef_is_dict:
                        data__spec__teamRef__missing_keys = set(['name']) - data__spec__teamRef.keys()
                        if data__spec__teamRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef must contain ")
                        data__spec__teamRef_keys = set(data__spec__teamRef.keys())
                        if "name" in data__spec__teamRef_keys:
                            data__spec__teamRef_keys.remove("name")
                            data__spec__teamRef__name = data__spec__teamRef["name"]
                            if not isinstance(data__spec__teamRef__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef.name must be string")
                            if isinstance(data__spec__teamRef__name, str):
                                data__spec__teamRef__name_len = len(data__spec__teamRef__name)
                                if data__spec__teamRef__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef.name must be longer than or equal to 1 characters")
                                if data__spec__teamRef__name_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef.name must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__teamRef__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.teamRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                if "kubernetesVersion" in data__spec_keys:
                    data__spec_keys.remove("kubernetesVersion")
                    data__spec__kubernetesVersion = data__spec["kubernetesVersion"]
                if "controlPlane" in data__spec_keys:
                    data__spec_keys.remove("controlPlane")
                    data__spec__controlPlane = data__spec["controlPlane"]
                    if not isinstance(data__spec__controlPlane, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlane must be object")
                if "workers" in data__spec_keys:
                    data__spec_keys.remove("workers")
                    data__spec__workers = data__spec["workers"]
                    if not isinstance(data__spec__workers, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.workers must be object")
                    data__spec__workers_is_dict = isinstance(data__spec__workers, dict)
                    if data__spec__workers_is_dict:
                        data__spec__workers_keys = set(data__spec__workers.keys())
                        if "replicas" in data__spec__workers_keys:
                            data__spec__workers_keys.remove("replicas")
                            data__spec__workers__replicas = data__spec__workers["replicas"]
                            if not isinstance(data__spec__workers__replicas, (int)) and not (isinstance(data__spec__workers__replicas, float) and data__spec__workers__replicas.is_integer()) or isinstance(data__spec__workers__replicas, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.workers.replicas must be integer")
                            if isinstance(data__spec__workers__replicas, (int, float, Decimal)) and not isinstance(data__spec__workers__replicas, bool):
                                if data__spec__workers__replicas < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.workers.replicas must be bigger than or equal to 0")
                                if data__spec__workers__replicas > 2147483647:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.workers.replicas must be smaller than or equal to 2147483647")
                        if "machineTemplate" in data__spec__workers_keys:
                            data__spec__workers_keys.remove("machineTemplate")
                            data__spec__workers__machineTemplate = data__spec__workers["machineTemplate"]
                            if not isinstance(data__spec__workers__machineTemplate, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.workers.machineTemplate must be object")
                if "networking" in data__spec_keys:
                    data__spec_keys.remove("networking")
                    data__spec__networking = data__spec["networking"]
                    if not isinstance(data__spec__networking, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking must be object")
                    data__spec__networking_is_dict = isinstance(data__spec__networking, dict)
                    if data__spec__networking_is_dict:
                        data__spec__networking_keys = set(data__spec__networking.keys())
                        if "lbPoolSize" in data__spec__networking_keys:
                            data__spec__networking_keys.remove("lbPoolSize")
                            data__spec__networking__lbPoolSize = data__spec__networking["lbPoolSize"]
                            if not isinstance(data__spec__networking__lbPoolSize, (int)) and not (isinstance(data__spec__networking__lbPoolSize, float) and data__spec__networking__lbPoolSize.is_integer()) or isinstance(data__spec__networking__lbPoolSize, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.lbPoolSize must be integer")
                            if isinstance(data__spec__networking__lbPoolSize, (int, float, Decimal)) and not isinstance(data__spec__networking__lbPoolSize, bool):
                                if data__spec__networking__lbPoolSize < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.lbPoolSize must be bigger than or equal to 1")
                                if data__spec__networking__lbPoolSize > 2147483647:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.lbPoolSize must be smaller than or equal to 2147483647")
                        if "loadBalancerPool" in data__spec__networking_keys:
                            data__spec__networking_keys.remove("loadBalancerPool")
                            data__spec__networking__loadBalancerPool = data__spec__networking["loadBalancerPool"]
                            if not isinstance(data__spec__networking__loadBalancerPool, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool must be object")
                            data__spec__networking__loadBalancerPool_is_dict = isinstance(data__spec__networking__loadBalancerPool, dict)
                            if data__spec__networking__loadBalancerPool_is_dict:
                                data__spec__networking__loadBalancerPool__missing_keys = set(['start', 'end']) - data__spec__networking__loadBalancerPool.keys()
                                if data__spec__networking__loadBalancerPool__missing_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool must contain ")
                                data__spec__networking__loadBalancerPool_keys = set(data__spec__networking__loadBalancerPool.keys())
                                if "start" in data__spec__networking__loadBalancerPool_keys:
                                    data__spec__networking__loadBalancerPool_keys.remove("start")
                                    data__spec__networking__loadBalancerPool__start = data__spec__networking__loadBalancerPool["start"]
                                    if not isinstance(data__spec__networking__loadBalancerPool__start, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool.start must be string")
                                    if isinstance(data__spec__networking__loadBalancerPool__start, str):
                                        data__spec__networking__loadBalancerPool__start_len = len(data__spec__networking__loadBalancerPool__start)
                                        if data__spec__networking__loadBalancerPool__start_len > 64:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool.start must be shorter than or equal to 64 characters")
                                if "end" in data__spec__networking__loadBalancerPool_keys:
                                    data__spec__networking__loadBalancerPool_keys.remove("end")
                                    data__spec__networking__loadBalancerPool__end = data__spec__networking__loadBalancerPool["end"]
                                    if not isinstance(data__spec__networking__loadBalancerPool__end, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool.end must be string")
                                    if isinstance(data__spec__networking__loadBalancerPool__end, str):
                                        data__spec__networking__loadBalancerPool__end_len = len(data__spec__networking__loadBalancerPool__end)
                                        if data__spec__networking__loadBalancerPool__end_len > 64:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool.end must be shorter than or equal to 64 characters")
                                if data__spec__networking__loadBalancerPool_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.loadBalancerPool must not contain "+str(data__spec__networking__loadBalancerPool_keys)+" properties")
                        if "podCIDR" in data__spec__networking_keys:
                            data__spec__networking_keys.remove("podCIDR")
                            data__spec__networking__podCIDR = data__spec__networking["podCIDR"]
                            if not isinstance(data__spec__networking__podCIDR, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.podCIDR must be string")
                            if isinstance(data__spec__networking__podCIDR, str):
                                data__spec__networking__podCIDR_len = len(data__spec__networking__podCIDR)
                                if data__spec__networking__podCIDR_len > 128:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.podCIDR must be shorter than or equal to 128 characters")
                        if "serviceCIDR" in data__spec__networking_keys:
                            data__spec__networking_keys.remove("serviceCIDR")
                            data__spec__networking__serviceCIDR = data__spec__networking["serviceCIDR"]
                            if not isinstance(data__spec__networking__serviceCIDR, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.serviceCIDR must be string")
                            if isinstance(data__spec__networking__serviceCIDR, str):
                                data__spec__networking__serviceCIDR_len = len(data__spec__networking__serviceCIDR)
                                if data__spec__networking__serviceCIDR_len > 128:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.networking.serviceCIDR must be shorter than or equal to 128 characters")
                if "addons" in data__spec_keys:
                    data__spec_keys.remove("addons")
                    data__spec__addons = data__spec["addons"]
                    if not isinstance(data__spec__addons, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons must be object")
                    data__spec__addons_is_dict = isinstance(data__spec__addons, dict)
                    if data__spec__addons_is_dict:
                        data__spec__addons_keys = set(data__spec__addons.keys())
                        if "ingress" in data__spec__addons_keys:
                            data__spec__addons_keys.remove("ingress")
                            data__spec__addons__ingress = data__spec__addons["ingress"]
                            if not isinstance(data__spec__addons__ingress, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.ingress must be object")
                            data__spec__addons__ingress_is_dict = isinstance(data__spec__addons__ingress, dict)
                            if data__spec__addons__ingress_is_dict:
                                data__spec__addons__ingress_keys = set(data__spec__addons__ingress.keys())
                                if "enabled" in data__spec__addons__ingress_keys:
                                    data__spec__addons__ingress_keys.remove("enabled")
                                    data__spec__addons__ingress__enabled = data__spec__addons__ingress["enabled"]
                                    if not isinstance(data__spec__addons__ingress__enabled, (bool)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.ingress.enabled must be boolean")
                        if "loadBalancer" in data__spec__addons_keys:
                            data__spec__addons_keys.remove("loadBalancer")
                            data__spec__addons__loadBalancer = data__spec__addons["loadBalancer"]
                            if not isinstance(data__spec__addons__loadBalancer, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.loadBalancer must be object")
                        if "cni" in data__spec__addons_keys:
                            data__spec__addons_keys.remove("cni")
                            data__spec__addons__cni = data__spec__addons["cni"]
                            if not isinstance(data__spec__addons__cni, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.cni must be object")
                        if "storage" in data__spec__addons_keys:
                            data__spec__addons_keys.remove("storage")
                            data__spec__addons__storage = data__spec__addons["storage"]
                            if not isinstance(data__spec__addons__storage, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.storage must be object")
                        if "certManager" in data__spec__addons_keys:
                            data__spec__addons_keys.remove("certManager")
                            data__spec__addons__certManager = data__spec__addons["certManager"]
                            if not isinstance(data__spec__addons__certManager, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addons.certManager must be object")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_butler_tenantcluster_json

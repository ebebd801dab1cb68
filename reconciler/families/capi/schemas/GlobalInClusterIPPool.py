"""What GlobalInClusterIPPool.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_capi_globalinclusterippool_json(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['apiVersion', 'kind', 'metadata', 'spec']) - data.keys()
        if data__missing_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must contain ")
        data_keys = set(data.keys())
        if "apiVersion" in data_keys:
            data_keys.remove("apiVersion")
            data__apiVersion = data["apiVersion"]
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'ipam.cluster.x-k8s.io/v1alpha2'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['ipam.cluster.x-k8s.io/v1alpha2']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'GlobalInClusterIPPool'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['GlobalInClusterIPPool']")
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
                        if "vip.capi.gorizond.io/cluster-class" in data__metadata__labels_keys:
                            data__metadata__labels_keys.remove("vip.capi.gorizond.io/cluster-class")
                            data__metadata__labels__vipcapigorizondioclusterclass = data__metadata__labels["vip.capi.gorizond.io/cluster-class"]
                            if not isinstance(data__metadata__labels__vipcapigorizondioclusterclass, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.vip.capi.gorizond.io/cluster-class must be string")
                        if "vip.capi.gorizond.io/role" in data__metadata__labels_keys:
                            data__metadata__labels_keys.remove("vip.capi.gorizond.io/role")
                            data__metadata__labels__vipcapigorizondiorole = data__metadata__labels["vip.capi.gorizond.io/role"]
                            if not isinstance(data__metadata__labels__vipcapigorizondiorole, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.vip.capi.gorizond.io/role must be string")
                        for data__metadata__labels_key in data__metadata__labels_keys:
                            if data__metadata__labels_key not in ['vip.capi.gorizond.io/cluster-class', 'vip.capi.gorizond.io/role']:
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
                        if "vip.capi.gorizond.io/cluster-class" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("vip.capi.gorizond.io/cluster-class")
                            data__metadata__annotations__vipcapigorizondioclusterclass = data__metadata__annotations["vip.capi.gorizond.io/cluster-class"]
                            if not isinstance(data__metadata__annotations__vipcapigorizondioclusterclass, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.vip.capi.gorizond.io/cluster-class must be string")
                        if "vip.capi.gorizond.io/role" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("vip.capi.gorizond.io/role")
                            data__metadata__annotations__vipcapigorizondiorole = data__metadata__annotations["vip.capi.gorizond.io/role"]
                            if not isinstance(data__metadata__annotations__vipcapigorizondiorole, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.vip.capi.gorizond.io/role must be string")
                        if "cluster.x-k8s.io/paused" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("cluster.x-k8s.io/paused")
                            data__metadata__annotations__clusterxk8siopaused = data__metadata__annotations["cluster.x-k8s.io/paused"]
                            if not isinstance(data__metadata__annotations__clusterxk8siopaused, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.cluster.x-k8s.io/paused must be string")
                        if "gitops-ipam.dev/address-space" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/address-space")
                            data__metadata__annotations__gitopsipamdevaddressspace = data__metadata__annotations["gitops-ipam.dev/address-space"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevaddressspace, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/address-space must be string")
                        if "gitops-ipam.dev/gate" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/gate")
                            data__metadata__annotations__gitopsipamdevgate = data__metadata__annotations["gitops-ipam.dev/gate"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevgate, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/gate must be string")
                        if "gitops-ipam.dev/warning" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/warning")
                            data__metadata__annotations__gitopsipamdevwarning = data__metadata__annotations["gitops-ipam.dev/warning"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevwarning, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/warning must be string")
                        if "gitops-ipam.dev/critical" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/critical")
                            data__metadata__annotations__gitopsipamdevcritical = data__metadata__annotations["gitops-ipam.dev/critical"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevcritical, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/critical must be string")
                        if "gitops-ipam.dev/exhausted" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/exhausted")
                            data__metadata__annotations__gitopsipamdevexhausted = data__metadata__annotations["gitops-ipam.dev/exhausted"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevexhausted, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/exhausted must be string")
                        for data__metadata__annotations_key in data__metadata__annotations_keys:
                            if data__metadata__annotations_key not in ['vip.capi.gorizond.io/cluster-class', 'vip.capi.gorizond.io/role', 'cluster.x-k8s.io/paused', 'gitops-ipam.dev/address-space', 'gitops-ipam.dev/gate', 'gitops-ipam.dev/warning', 'gitops-ipam.dev/critical', 'gitops-ipam.dev/exhausted']:
                                data__metadata__annotations_value = data__metadata__annotations.get(data__metadata__annotations_key)
                                if not isinstance(data__metadata__annotations_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.{data__metadata__annotations_key}".format(**locals()) + " must be string")
                if data__metadata_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must not contain "+str(data__metadata_keys)+" properties")
        if "spec" in data_keys:
            data_keys.remove("spec")
            data__spec = data["spec"]
            if not isinstance(data__spec, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must be object")
            data__spec_is_dict = isinstance(data__spec, dict)
            if data__spec_is_dict:
                data__spec__missing_keys = set(['addresses', 'prefix']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "addresses" in data__spec_keys:
                    data__spec_keys.remove("addresses")
                    data__spec__addresses = data__spec["addresses"]
                    if not isinstance(data__spec__addresses, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses must be array")
                    data__spec__addresses_is_list = isinstance(data__spec__addresses, (list, tuple))
                    if data__spec__addresses_is_list:
                        data__spec__addresses_len = len(data__spec__addresses)
                        for data__spec__addresses_x, data__spec__addresses_item in enumerate(data__spec__addresses):
                            if not isinstance(data__spec__addresses_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses[{data__spec__addresses_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__addresses_item, str):
                                data__spec__addresses_item_len = len(data__spec__addresses_item)
                                if data__spec__addresses_item_len > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses[{data__spec__addresses_x}]".format(**locals()) + " must be shorter than or equal to 100 characters")
                if "prefix" in data__spec_keys:
                    data__spec_keys.remove("prefix")
                    data__spec__prefix = data__spec["prefix"]
                    if not isinstance(data__spec__prefix, (int)) and not (isinstance(data__spec__prefix, float) and data__spec__prefix.is_integer()) or isinstance(data__spec__prefix, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.prefix must be integer")
                    if isinstance(data__spec__prefix, (int, float, Decimal)) and not isinstance(data__spec__prefix, bool):
                        if data__spec__prefix < 0:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.prefix must be bigger than or equal to 0")
                        if data__spec__prefix > 128:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.prefix must be smaller than or equal to 128")
                if "gateway" in data__spec_keys:
                    data__spec_keys.remove("gateway")
                    data__spec__gateway = data__spec["gateway"]
                    if not isinstance(data__spec__gateway, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.gateway must be string")
                if "allocateReservedIPAddresses" in data__spec_keys:
                    data__spec_keys.remove("allocateReservedIPAddresses")
                    data__spec__allocateReservedIPAddresses = data__spec["allocateReservedIPAddresses"]
                    if not isinstance(data__spec__allocateReservedIPAddresses, (bool)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.allocateReservedIPAddresses must be boolean")
                if "excludedAddresses" in data__spec_keys:
                    data__spec_keys.remove("excludedAddresses")
                    data__spec__excludedAddresses = data__spec["excludedAddresses"]
                    if not isinstance(data__spec__excludedAddresses, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.excludedAddresses must be array")
                    data__spec__excludedAddresses_is_list = isinstance(data__spec__excludedAddresses, (list, tuple))
                    if data__spec__excludedAddresses_is_list:
                        data__spec__excludedAddresses_len = len(data__spec__excludedAddresses)
                        for data__spec__excludedAddresses_x, data__spec__excludedAddresses_item in enumerate(data__spec__excludedAddresses):
                            if not isinstance(data__spec__excludedAddresses_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.excludedAddresses[{data__spec__excludedAddresses_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__excludedAddresses_item, str):
                                data__spec__excludedAddresses_item_len = len(data__spec__excludedAddresses_item)
                                if data__spec__excludedAddresses_item_len > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.excludedAddresses[{data__spec__excludedAddresses_x}]".format(**locals()) + " must be shorter than or equal to 100 characters")
                if "addressReuseGracePeriodSeconds" in data__spec_keys:
                    data__spec_keys.remove("addressReuseGracePeriodSeconds")
                    data__spec__addressReuseGracePeriodSeconds = data__spec["addressReuseGracePeriodSeconds"]
                    if not isinstance(data__spec__addressReuseGracePeriodSeconds, (int)) and not (isinstance(data__spec__addressReuseGracePeriodSeconds, float) and data__spec__addressReuseGracePeriodSeconds.is_integer()) or isinstance(data__spec__addressReuseGracePeriodSeconds, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressReuseGracePeriodSeconds must be integer")
                    if isinstance(data__spec__addressReuseGracePeriodSeconds, (int, float, Decimal)) and not isinstance(data__spec__addressReuseGracePeriodSeconds, bool):
                        if data__spec__addressReuseGracePeriodSeconds < 0:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressReuseGracePeriodSeconds must be bigger than or equal to 0")
                        if data__spec__addressReuseGracePeriodSeconds > 2147483647:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressReuseGracePeriodSeconds must be smaller than or equal to 2147483647")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_capi_globalinclusterippool_json

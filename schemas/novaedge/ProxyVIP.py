"""What ProxyVIP.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_novaedge_proxyvip_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'novaedge.io/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['novaedge.io/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'ProxyVIP'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['ProxyVIP']")
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
                        for data__metadata__annotations_key in data__metadata__annotations_keys:
                            if data__metadata__annotations_key not in []:
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
                data__spec__missing_keys = set(['mode', 'ports']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "address" in data__spec_keys:
                    data__spec_keys.remove("address")
                    data__spec__address = data__spec["address"]
                    if not isinstance(data__spec__address, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.address must be string")
                    if isinstance(data__spec__address, str):
                        data__spec__address_len = len(data__spec__address)
                        if data__spec__address_len > 64:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.address must be shorter than or equal to 64 characters")
                if "ipv6Address" in data__spec_keys:
                    data__spec_keys.remove("ipv6Address")
                    data__spec__ipv6Address = data__spec["ipv6Address"]
                    if not isinstance(data__spec__ipv6Address, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ipv6Address must be string")
                    if isinstance(data__spec__ipv6Address, str):
                        data__spec__ipv6Address_len = len(data__spec__ipv6Address)
                        if data__spec__ipv6Address_len > 64:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ipv6Address must be shorter than or equal to 64 characters")
                if "mode" in data__spec_keys:
                    data__spec_keys.remove("mode")
                    data__spec__mode = data__spec["mode"]
                    if not isinstance(data__spec__mode, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.mode must be string")
                    if not (isinstance(data__spec__mode, str) and data__spec__mode == 'L2ARP' or isinstance(data__spec__mode, str) and data__spec__mode == 'BGP' or isinstance(data__spec__mode, str) and data__spec__mode == 'OSPF'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.mode must be one of ['L2ARP', 'BGP', 'OSPF']")
                if "addressFamily" in data__spec_keys:
                    data__spec_keys.remove("addressFamily")
                    data__spec__addressFamily = data__spec["addressFamily"]
                    if not isinstance(data__spec__addressFamily, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressFamily must be string")
                    if not (isinstance(data__spec__addressFamily, str) and data__spec__addressFamily == 'ipv4' or isinstance(data__spec__addressFamily, str) and data__spec__addressFamily == 'ipv6' or isinstance(data__spec__addressFamily, str) and data__spec__addressFamily == 'dual'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressFamily must be one of ['ipv4', 'ipv6', 'dual']")
                if "ports" in data__spec_keys:
                    data__spec_keys.remove("ports")
                    data__spec__ports = data__spec["ports"]
                    if not isinstance(data__spec__ports, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ports must be array")
                    data__spec__ports_is_list = isinstance(data__spec__ports, (list, tuple))
                    if data__spec__ports_is_list:
                        data__spec__ports_len = len(data__spec__ports)
                        if data__spec__ports_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ports must contain at least 1 items")
                        for data__spec__ports_x, data__spec__ports_item in enumerate(data__spec__ports):
                            if not isinstance(data__spec__ports_item, (int)) and not (isinstance(data__spec__ports_item, float) and data__spec__ports_item.is_integer()) or isinstance(data__spec__ports_item, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ports[{data__spec__ports_x}]".format(**locals()) + " must be integer")
                            if isinstance(data__spec__ports_item, (int, float, Decimal)) and not isinstance(data__spec__ports_item, bool):
                                if data__spec__ports_item < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ports[{data__spec__ports_x}]".format(**locals()) + " must be bigger than or equal to 1")
                                if data__spec__ports_item > 65535:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ports[{data__spec__ports_x}]".format(**locals()) + " must be smaller than or equal to 65535")
                if "poolRef" in data__spec_keys:
                    data__spec_keys.remove("poolRef")
                    data__spec__poolRef = data__spec["poolRef"]
                    if not isinstance(data__spec__poolRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must be object")
                    data__spec__poolRef_is_dict = isinstance(data__spec__poolRef, dict)
                    if data__spec__poolRef_is_dict:
                        data__spec__poolRef__missing_keys = set(['name']) - data__spec__poolRef.keys()
                        if data__spec__poolRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must contain ")
                        data__spec__poolRef_keys = set(data__spec__poolRef.keys())
                        if "name" in data__spec__poolRef_keys:
                            data__spec__poolRef_keys.remove("name")
                            data__spec__poolRef__name = data__spec__poolRef["name"]
                            if not isinstance(data__spec__poolRef__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be string")
                            if isinstance(data__spec__poolRef__name, str):
                                data__spec__poolRef__name_len = len(data__spec__poolRef__name)
                                if data__spec__poolRef__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be longer than or equal to 1 characters")
                                if data__spec__poolRef__name_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__poolRef__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if data__spec__poolRef_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must not contain "+str(data__spec__poolRef_keys)+" properties")
                if "nodeSelector" in data__spec_keys:
                    data__spec_keys.remove("nodeSelector")
                    data__spec__nodeSelector = data__spec["nodeSelector"]
                    if not isinstance(data__spec__nodeSelector, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.nodeSelector must be object")
                if "tolerations" in data__spec_keys:
                    data__spec_keys.remove("tolerations")
                    data__spec__tolerations = data__spec["tolerations"]
                    if not isinstance(data__spec__tolerations, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tolerations must be array")
                if "healthPolicy" in data__spec_keys:
                    data__spec_keys.remove("healthPolicy")
                    data__spec__healthPolicy = data__spec["healthPolicy"]
                    if not isinstance(data__spec__healthPolicy, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.healthPolicy must be object")
                if "bgpConfig" in data__spec_keys:
                    data__spec_keys.remove("bgpConfig")
                    data__spec__bgpConfig = data__spec["bgpConfig"]
                    if not isinstance(data__spec__bgpConfig, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.bgpConfig must be object")
                if "ospfConfig" in data__spec_keys:
                    data__spec_keys.remove("ospfConfig")
                    data__spec__ospfConfig = data__spec["ospfConfig"]
                    if not isinstance(data__spec__ospfConfig, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.ospfConfig must be object")
                if "bfd" in data__spec_keys:
                    data__spec_keys.remove("bfd")
                    data__spec__bfd = data__spec["bfd"]
                    if not isinstance(data__spec__bfd, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.bfd must be object")
                    data__spec__bfd_is_dict = isinstance(data__spec__bfd, dict)
                    if data__spec__bfd_is_dict:
                        data__spec__bfd_keys = set(data__spec__bfd.keys())
                        if "enabled" in data__spec__bfd_keys:
                            data__spec__bfd_keys.remove("enabled")
                            data__spec__bfd__enabled = data__spec__bfd["enabled"]
                            if not isinstance(data__spec__bfd__enabled, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.bfd.enabled must be boolean")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_novaedge_proxyvip_json

"""What ProxyIPPool.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_novaedge_proxyippool_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__kind, str) and data__kind == 'ProxyIPPool'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['ProxyIPPool']")
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
                data__spec_keys = set(data__spec.keys())
                if "cidrs" in data__spec_keys:
                    data__spec_keys.remove("cidrs")
                    data__spec__cidrs = data__spec["cidrs"]
                    if not isinstance(data__spec__cidrs, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidrs must be array")
                    data__spec__cidrs_is_list = isinstance(data__spec__cidrs, (list, tuple))
                    if data__spec__cidrs_is_list:
                        data__spec__cidrs_len = len(data__spec__cidrs)
                        if data__spec__cidrs_len > 10000:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidrs must contain less than or equal to 10000 items")
                        for data__spec__cidrs_x, data__spec__cidrs_item in enumerate(data__spec__cidrs):
                            if not isinstance(data__spec__cidrs_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidrs[{data__spec__cidrs_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__cidrs_item, str):
                                data__spec__cidrs_item_len = len(data__spec__cidrs_item)
                                if data__spec__cidrs_item_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidrs[{data__spec__cidrs_x}]".format(**locals()) + " must be shorter than or equal to 64 characters")
                if "addresses" in data__spec_keys:
                    data__spec_keys.remove("addresses")
                    data__spec__addresses = data__spec["addresses"]
                    if not isinstance(data__spec__addresses, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses must be array")
                    data__spec__addresses_is_list = isinstance(data__spec__addresses, (list, tuple))
                    if data__spec__addresses_is_list:
                        data__spec__addresses_len = len(data__spec__addresses)
                        if data__spec__addresses_len > 10000:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses must contain less than or equal to 10000 items")
                        for data__spec__addresses_x, data__spec__addresses_item in enumerate(data__spec__addresses):
                            if not isinstance(data__spec__addresses_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses[{data__spec__addresses_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__addresses_item, str):
                                data__spec__addresses_item_len = len(data__spec__addresses_item)
                                if data__spec__addresses_item_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addresses[{data__spec__addresses_x}]".format(**locals()) + " must be shorter than or equal to 64 characters")
                if "autoAssign" in data__spec_keys:
                    data__spec_keys.remove("autoAssign")
                    data__spec__autoAssign = data__spec["autoAssign"]
                    if not isinstance(data__spec__autoAssign, (bool)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.autoAssign must be boolean")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_novaedge_proxyippool_json

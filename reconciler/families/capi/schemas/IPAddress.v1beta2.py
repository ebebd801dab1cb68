"""What IPAddress.v1beta2.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_capi_ipaddress_v1beta2_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'ipam.cluster.x-k8s.io/v1beta2'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['ipam.cluster.x-k8s.io/v1beta2']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'IPAddress'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['IPAddress']")
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
                if "namespace" in data__metadata_keys:
                    data__metadata_keys.remove("namespace")
                    data__metadata__namespace = data__metadata["namespace"]
                    if not isinstance(data__metadata__namespace, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.namespace must be string")
                if data__metadata_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must not contain "+str(data__metadata_keys)+" properties")
        if "spec" in data_keys:
            data_keys.remove("spec")
            data__spec = data["spec"]
            if not isinstance(data__spec, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must be object")
            data__spec_is_dict = isinstance(data__spec, dict)
            if data__spec_is_dict:
                data__spec__missing_keys = set(['address', 'poolRef']) - data__spec.keys()
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
                        if data__spec__address_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.address must be longer than or equal to 1 characters")
                        if data__spec__address_len > 64:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.address must be shorter than or equal to 64 characters")
                if "poolRef" in data__spec_keys:
                    data__spec_keys.remove("poolRef")
                    data__spec__poolRef = data__spec["poolRef"]
                    if not isinstance(data__spec__poolRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must be object")
                    data__spec__poolRef_is_dict = isinstance(data__spec__poolRef, dict)
                    if data__spec__poolRef_is_dict:
                        data__spec__poolRef__missing_keys = set(['apiGroup', 'kind', 'name']) - data__spec__poolRef.keys()
                        if data__spec__poolRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must contain ")
                        data__spec__poolRef_keys = set(data__spec__poolRef.keys())
                        if "apiGroup" in data__spec__poolRef_keys:
                            data__spec__poolRef_keys.remove("apiGroup")
                            data__spec__poolRef__apiGroup = data__spec__poolRef["apiGroup"]
                            if not isinstance(data__spec__poolRef__apiGroup, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.apiGroup must be string")
                        if "kind" in data__spec__poolRef_keys:
                            data__spec__poolRef_keys.remove("kind")
                            data__spec__poolRef__kind = data__spec__poolRef["kind"]
                            if not isinstance(data__spec__poolRef__kind, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.kind must be string")
                            if isinstance(data__spec__poolRef__kind, str):
                                data__spec__poolRef__kind_len = len(data__spec__poolRef__kind)
                                if data__spec__poolRef__kind_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.kind must be longer than or equal to 1 characters")
                                if data__spec__poolRef__kind_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.kind must be shorter than or equal to 63 characters")
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
                if "claimRef" in data__spec_keys:
                    data__spec_keys.remove("claimRef")
                    data__spec__claimRef = data__spec["claimRef"]
                    if not isinstance(data__spec__claimRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.claimRef must be object")
                if "prefix" in data__spec_keys:
                    data__spec_keys.remove("prefix")
                    data__spec__prefix = data__spec["prefix"]
                if "gateway" in data__spec_keys:
                    data__spec_keys.remove("gateway")
                    data__spec__gateway = data__spec["gateway"]
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_capi_ipaddress_v1beta2_json

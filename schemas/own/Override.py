"""What Override.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$': re.compile('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_own_override_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'gitops-ipam.dev/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['gitops-ipam.dev/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'Override'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['Override']")
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
                data__spec__missing_keys = set(['kind', 'reason', 'expires']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "kind" in data__spec_keys:
                    data__spec_keys.remove("kind")
                    data__spec__kind = data__spec["kind"]
                    if not isinstance(data__spec__kind, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kind must be string")
                    if not (isinstance(data__spec__kind, str) and data__spec__kind == 'record' or isinstance(data__spec__kind, str) and data__spec__kind == 'gate' or isinstance(data__spec__kind, str) and data__spec__kind == 'brake' or isinstance(data__spec__kind, str) and data__spec__kind == 'move' or isinstance(data__spec__kind, str) and data__spec__kind == 'shrink'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kind must be one of ['record', 'gate', 'brake', 'move', 'shrink']")
                if "scope" in data__spec_keys:
                    data__spec_keys.remove("scope")
                    data__spec__scope = data__spec["scope"]
                    if not isinstance(data__spec__scope, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope must be string")
                    if isinstance(data__spec__scope, str):
                        data__spec__scope_len = len(data__spec__scope)
                        if data__spec__scope_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope must be longer than or equal to 1 characters")
                        if data__spec__scope_len > 512:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope must be shorter than or equal to 512 characters")
                if "releases" in data__spec_keys:
                    data__spec_keys.remove("releases")
                    data__spec__releases = data__spec["releases"]
                    if not isinstance(data__spec__releases, (int)) and not (isinstance(data__spec__releases, float) and data__spec__releases.is_integer()) or isinstance(data__spec__releases, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.releases must be integer")
                    if isinstance(data__spec__releases, (int, float, Decimal)) and not isinstance(data__spec__releases, bool):
                        if data__spec__releases < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.releases must be bigger than or equal to 1")
                        if data__spec__releases > 2147483647:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.releases must be smaller than or equal to 2147483647")
                if "reason" in data__spec_keys:
                    data__spec_keys.remove("reason")
                    data__spec__reason = data__spec["reason"]
                    if not isinstance(data__spec__reason, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reason must be string")
                    if isinstance(data__spec__reason, str):
                        data__spec__reason_len = len(data__spec__reason)
                        if data__spec__reason_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reason must be longer than or equal to 1 characters")
                        if data__spec__reason_len > 512:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reason must be shorter than or equal to 512 characters")
                if "expires" in data__spec_keys:
                    data__spec_keys.remove("expires")
                    data__spec__expires = data__spec["expires"]
                    if not isinstance(data__spec__expires, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.expires must be string")
                    if isinstance(data__spec__expires, str):
                        if not REGEX_PATTERNS['^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$'].search(data__spec__expires):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.expires must match pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_own_override_json

"""What Settings.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$': re.compile('^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*\\Z'),
    '^[0-9]{1,6}[smhd]$': re.compile('^[0-9]{1,6}[smhd]\\Z'),
    '^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$': re.compile('^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\Z'),
    '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$': re.compile('^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)\\Z'),
    '^[1-9][0-9]{0,11}(Ki|Mi|Gi)?$': re.compile('^[1-9][0-9]{0,11}(Ki|Mi|Gi)?\\Z'),
    '^[^<>\\u0000-\\u001f\\u007f]+$': re.compile('^[^<>\\u0000-\\u001f\\u007f]+\\Z'),
    '^[!-;=?-~]+$': re.compile('^[!-;=?-~]+\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_own_settings_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'gitops-ipam.dev/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['gitops-ipam.dev/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'Settings'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['Settings']")
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
                if "sources" in data__spec_keys:
                    data__spec_keys.remove("sources")
                    data__spec__sources = data__spec["sources"]
                    if not isinstance(data__spec__sources, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources must be array")
                    data__spec__sources_is_list = isinstance(data__spec__sources, (list, tuple))
                    if data__spec__sources_is_list:
                        data__spec__sources_len = len(data__spec__sources)
                        if data__spec__sources_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources must contain at least 1 items")
                        def fn(var): return frozenset(dict((k, fn(v)) for k, v in var.items()).items()) if hasattr(var, "items") else tuple(fn(v) for v in var) if isinstance(var, (dict, list)) else (bool, var) if isinstance(var, bool) else var
                        if data__spec__sources_len > len(set(fn(data__spec__sources_x) for data__spec__sources_x in data__spec__sources)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources must contain unique items")
                        for data__spec__sources_x, data__spec__sources_item in enumerate(data__spec__sources):
                            if not isinstance(data__spec__sources_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources[{data__spec__sources_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__sources_item, str):
                                data__spec__sources_item_len = len(data__spec__sources_item)
                                if data__spec__sources_item_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources[{data__spec__sources_x}]".format(**locals()) + " must be longer than or equal to 1 characters")
                                if data__spec__sources_item_len > 200:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources[{data__spec__sources_x}]".format(**locals()) + " must be shorter than or equal to 200 characters")
                                if not REGEX_PATTERNS['^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$'].search(data__spec__sources_item):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.sources[{data__spec__sources_x}]".format(**locals()) + " must match pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")
                if "records" in data__spec_keys:
                    data__spec_keys.remove("records")
                    data__spec__records = data__spec["records"]
                    if not isinstance(data__spec__records, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.records must be string")
                    if isinstance(data__spec__records, str):
                        data__spec__records_len = len(data__spec__records)
                        if data__spec__records_len > 200:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.records must be shorter than or equal to 200 characters")
                        if not REGEX_PATTERNS['^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$'].search(data__spec__records):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.records must match pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")
                if "observed" in data__spec_keys:
                    data__spec_keys.remove("observed")
                    data__spec__observed = data__spec["observed"]
                    if not isinstance(data__spec__observed, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.observed must be string")
                    if isinstance(data__spec__observed, str):
                        data__spec__observed_len = len(data__spec__observed)
                        if data__spec__observed_len > 200:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.observed must be shorter than or equal to 200 characters")
                        if not REGEX_PATTERNS['^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$'].search(data__spec__observed):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.observed must match pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")
                if "branch" in data__spec_keys:
                    data__spec_keys.remove("branch")
                    data__spec__branch = data__spec["branch"]
                    if not isinstance(data__spec__branch, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.branch must be string")
                    if isinstance(data__spec__branch, str):
                        data__spec__branch_len = len(data__spec__branch)
                        if data__spec__branch_len > 200:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.branch must be shorter than or equal to 200 characters")
                        if not REGEX_PATTERNS['^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$'].search(data__spec__branch):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.branch must match pattern ^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")
                if "thresholds" in data__spec_keys:
                    data__spec_keys.remove("thresholds")
                    data__spec__thresholds = data__spec["thresholds"]
                    if not isinstance(data__spec__thresholds, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds must be object")
                    data__spec__thresholds_is_dict = isinstance(data__spec__thresholds, dict)
                    if data__spec__thresholds_is_dict:
                        data__spec__thresholds_keys = set(data__spec__thresholds.keys())
                        if "warning" in data__spec__thresholds_keys:
                            data__spec__thresholds_keys.remove("warning")
                            data__spec__thresholds__warning = data__spec__thresholds["warning"]
                            if not isinstance(data__spec__thresholds__warning, (int)) and not (isinstance(data__spec__thresholds__warning, float) and data__spec__thresholds__warning.is_integer()) or isinstance(data__spec__thresholds__warning, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.warning must be integer")
                            if isinstance(data__spec__thresholds__warning, (int, float, Decimal)) and not isinstance(data__spec__thresholds__warning, bool):
                                if data__spec__thresholds__warning < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.warning must be bigger than or equal to 1")
                                if data__spec__thresholds__warning > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.warning must be smaller than or equal to 100")
                        if "critical" in data__spec__thresholds_keys:
                            data__spec__thresholds_keys.remove("critical")
                            data__spec__thresholds__critical = data__spec__thresholds["critical"]
                            if not isinstance(data__spec__thresholds__critical, (int)) and not (isinstance(data__spec__thresholds__critical, float) and data__spec__thresholds__critical.is_integer()) or isinstance(data__spec__thresholds__critical, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.critical must be integer")
                            if isinstance(data__spec__thresholds__critical, (int, float, Decimal)) and not isinstance(data__spec__thresholds__critical, bool):
                                if data__spec__thresholds__critical < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.critical must be bigger than or equal to 1")
                                if data__spec__thresholds__critical > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.critical must be smaller than or equal to 100")
                        if "exhausted" in data__spec__thresholds_keys:
                            data__spec__thresholds_keys.remove("exhausted")
                            data__spec__thresholds__exhausted = data__spec__thresholds["exhausted"]
                            if not isinstance(data__spec__thresholds__exhausted, (int)) and not (isinstance(data__spec__thresholds__exhausted, float) and data__spec__thresholds__exhausted.is_integer()) or isinstance(data__spec__thresholds__exhausted, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.exhausted must be integer")
                            if isinstance(data__spec__thresholds__exhausted, (int, float, Decimal)) and not isinstance(data__spec__thresholds__exhausted, bool):
                                if data__spec__thresholds__exhausted < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.exhausted must be bigger than or equal to 1")
                                if data__spec__thresholds__exhausted > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds.exhausted must be smaller than or equal to 100")
                        if data__spec__thresholds_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.thresholds must not contain "+str(data__spec__thresholds_keys)+" properties")
                if "gate" in data__spec_keys:
                    data__spec_keys.remove("gate")
                    data__spec__gate = data__spec["gate"]
                    if not isinstance(data__spec__gate, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.gate must be string")
                    if not (isinstance(data__spec__gate, str) and data__spec__gate == 'warning' or isinstance(data__spec__gate, str) and data__spec__gate == 'critical' or isinstance(data__spec__gate, str) and data__spec__gate == 'exhausted' or isinstance(data__spec__gate, str) and data__spec__gate == 'never'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.gate must be one of ['warning', 'critical', 'exhausted', 'never']")
                if "retention" in data__spec_keys:
                    data__spec_keys.remove("retention")
                    data__spec__retention = data__spec["retention"]
                    if not isinstance(data__spec__retention, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.retention must be string")
                    if isinstance(data__spec__retention, str):
                        if not REGEX_PATTERNS['^[0-9]{1,6}[smhd]$'].search(data__spec__retention):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.retention must match pattern ^[0-9]{1,6}[smhd]$")
                if "poolOverlap" in data__spec_keys:
                    data__spec_keys.remove("poolOverlap")
                    data__spec__poolOverlap = data__spec["poolOverlap"]
                    if not isinstance(data__spec__poolOverlap, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolOverlap must be string")
                    if not (isinstance(data__spec__poolOverlap, str) and data__spec__poolOverlap == 'error' or isinstance(data__spec__poolOverlap, str) and data__spec__poolOverlap == 'warn'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolOverlap must be one of ['error', 'warn']")
                if "addressSpaces" in data__spec_keys:
                    data__spec_keys.remove("addressSpaces")
                    data__spec__addressSpaces = data__spec["addressSpaces"]
                    if not isinstance(data__spec__addressSpaces, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces must be array")
                    data__spec__addressSpaces_is_list = isinstance(data__spec__addressSpaces, (list, tuple))
                    if data__spec__addressSpaces_is_list:
                        data__spec__addressSpaces_len = len(data__spec__addressSpaces)
                        if data__spec__addressSpaces_len < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces must contain at least 1 items")
                        def fn(var): return frozenset(dict((k, fn(v)) for k, v in var.items()).items()) if hasattr(var, "items") else tuple(fn(v) for v in var) if isinstance(var, (dict, list)) else (bool, var) if isinstance(var, bool) else var
                        if data__spec__addressSpaces_len > len(set(fn(data__spec__addressSpaces_x) for data__spec__addressSpaces_x in data__spec__addressSpaces)):
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces must contain unique items")
                        for data__spec__addressSpaces_x, data__spec__addressSpaces_item in enumerate(data__spec__addressSpaces):
                            if not isinstance(data__spec__addressSpaces_item, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces[{data__spec__addressSpaces_x}]".format(**locals()) + " must be string")
                            if isinstance(data__spec__addressSpaces_item, str):
                                data__spec__addressSpaces_item_len = len(data__spec__addressSpaces_item)
                                if data__spec__addressSpaces_item_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces[{data__spec__addressSpaces_x}]".format(**locals()) + " must be longer than or equal to 1 characters")
                                if data__spec__addressSpaces_item_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces[{data__spec__addressSpaces_x}]".format(**locals()) + " must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$'].search(data__spec__addressSpaces_item):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.addressSpaces[{data__spec__addressSpaces_x}]".format(**locals()) + " must match pattern ^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$")
                if "kinds" in data__spec_keys:
                    data__spec_keys.remove("kinds")
                    data__spec__kinds = data__spec["kinds"]
                    if not isinstance(data__spec__kinds, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds must be object")
                    data__spec__kinds_is_dict = isinstance(data__spec__kinds, dict)
                    if data__spec__kinds_is_dict:
                        data__spec__kinds_keys = set(data__spec__kinds.keys())
                        for data__spec__kinds_key in data__spec__kinds_keys:
                            if data__spec__kinds_key not in []:
                                data__spec__kinds_value = data__spec__kinds.get(data__spec__kinds_key)
                                if not isinstance(data__spec__kinds_value, (list, tuple)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds.{data__spec__kinds_key}".format(**locals()) + " must be array")
                                data__spec__kinds_value_is_list = isinstance(data__spec__kinds_value, (list, tuple))
                                if data__spec__kinds_value_is_list:
                                    def fn(var): return frozenset(dict((k, fn(v)) for k, v in var.items()).items()) if hasattr(var, "items") else tuple(fn(v) for v in var) if isinstance(var, (dict, list)) else (bool, var) if isinstance(var, bool) else var
                                    data__spec__kinds_value_len = len(data__spec__kinds_value)
                                    if data__spec__kinds_value_len > len(set(fn(data__spec__kinds_value_x) for data__spec__kinds_value_x in data__spec__kinds_value)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds.{data__spec__kinds_key}".format(**locals()) + " must contain unique items")
                                    for data__spec__kinds_value_x, data__spec__kinds_value_item in enumerate(data__spec__kinds_value):
                                        if not isinstance(data__spec__kinds_value_item, (str)):
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds.{data__spec__kinds_key}[{data__spec__kinds_value_x}]".format(**locals()) + " must be string")
                                        if isinstance(data__spec__kinds_value_item, str):
                                            data__spec__kinds_value_item_len = len(data__spec__kinds_value_item)
                                            if data__spec__kinds_value_item_len < 1:
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds.{data__spec__kinds_key}[{data__spec__kinds_value_x}]".format(**locals()) + " must be longer than or equal to 1 characters")
                                            if data__spec__kinds_value_item_len > 63:
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.kinds.{data__spec__kinds_key}[{data__spec__kinds_value_x}]".format(**locals()) + " must be shorter than or equal to 63 characters")
                if "brakes" in data__spec_keys:
                    data__spec_keys.remove("brakes")
                    data__spec__brakes = data__spec["brakes"]
                    if not isinstance(data__spec__brakes, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes must be object")
                    data__spec__brakes_is_dict = isinstance(data__spec__brakes, dict)
                    if data__spec__brakes_is_dict:
                        data__spec__brakes_keys = set(data__spec__brakes.keys())
                        if "maxReleasePercent" in data__spec__brakes_keys:
                            data__spec__brakes_keys.remove("maxReleasePercent")
                            data__spec__brakes__maxReleasePercent = data__spec__brakes["maxReleasePercent"]
                            if not isinstance(data__spec__brakes__maxReleasePercent, (int)) and not (isinstance(data__spec__brakes__maxReleasePercent, float) and data__spec__brakes__maxReleasePercent.is_integer()) or isinstance(data__spec__brakes__maxReleasePercent, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.maxReleasePercent must be integer")
                            if isinstance(data__spec__brakes__maxReleasePercent, (int, float, Decimal)) and not isinstance(data__spec__brakes__maxReleasePercent, bool):
                                if data__spec__brakes__maxReleasePercent < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.maxReleasePercent must be bigger than or equal to 0")
                                if data__spec__brakes__maxReleasePercent > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.maxReleasePercent must be smaller than or equal to 100")
                        if "minRecords" in data__spec__brakes_keys:
                            data__spec__brakes_keys.remove("minRecords")
                            data__spec__brakes__minRecords = data__spec__brakes["minRecords"]
                            if not isinstance(data__spec__brakes__minRecords, (int)) and not (isinstance(data__spec__brakes__minRecords, float) and data__spec__brakes__minRecords.is_integer()) or isinstance(data__spec__brakes__minRecords, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.minRecords must be integer")
                            if isinstance(data__spec__brakes__minRecords, (int, float, Decimal)) and not isinstance(data__spec__brakes__minRecords, bool):
                                if data__spec__brakes__minRecords < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.minRecords must be bigger than or equal to 0")
                                if data__spec__brakes__minRecords > 2147483647:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes.minRecords must be smaller than or equal to 2147483647")
                        if data__spec__brakes_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.brakes must not contain "+str(data__spec__brakes_keys)+" properties")
                if "elastic" in data__spec_keys:
                    data__spec_keys.remove("elastic")
                    data__spec__elastic = data__spec["elastic"]
                    if not isinstance(data__spec__elastic, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic must be object")
                    data__spec__elastic_is_dict = isinstance(data__spec__elastic, dict)
                    if data__spec__elastic_is_dict:
                        data__spec__elastic_keys = set(data__spec__elastic.keys())
                        if "pendingAfter" in data__spec__elastic_keys:
                            data__spec__elastic_keys.remove("pendingAfter")
                            data__spec__elastic__pendingAfter = data__spec__elastic["pendingAfter"]
                            if not isinstance(data__spec__elastic__pendingAfter, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.pendingAfter must be string")
                            if isinstance(data__spec__elastic__pendingAfter, str):
                                if not REGEX_PATTERNS['^[0-9]{1,6}[smhd]$'].search(data__spec__elastic__pendingAfter):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.pendingAfter must match pattern ^[0-9]{1,6}[smhd]$")
                        if "shrinkAfter" in data__spec__elastic_keys:
                            data__spec__elastic_keys.remove("shrinkAfter")
                            data__spec__elastic__shrinkAfter = data__spec__elastic["shrinkAfter"]
                            if not isinstance(data__spec__elastic__shrinkAfter, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.shrinkAfter must be string")
                            if isinstance(data__spec__elastic__shrinkAfter, str):
                                if not REGEX_PATTERNS['^[0-9]{1,6}[smhd]$'].search(data__spec__elastic__shrinkAfter):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.shrinkAfter must match pattern ^[0-9]{1,6}[smhd]$")
                        if "retention" in data__spec__elastic_keys:
                            data__spec__elastic_keys.remove("retention")
                            data__spec__elastic__retention = data__spec__elastic["retention"]
                            if not isinstance(data__spec__elastic__retention, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.retention must be string")
                            if isinstance(data__spec__elastic__retention, str):
                                if not REGEX_PATTERNS['^[0-9]{1,6}[smhd]$'].search(data__spec__elastic__retention):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.retention must match pattern ^[0-9]{1,6}[smhd]$")
                        if "maxGrowth" in data__spec__elastic_keys:
                            data__spec__elastic_keys.remove("maxGrowth")
                            data__spec__elastic__maxGrowth = data__spec__elastic["maxGrowth"]
                            if not isinstance(data__spec__elastic__maxGrowth, (int)) and not (isinstance(data__spec__elastic__maxGrowth, float) and data__spec__elastic__maxGrowth.is_integer()) or isinstance(data__spec__elastic__maxGrowth, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.maxGrowth must be integer")
                            if isinstance(data__spec__elastic__maxGrowth, (int, float, Decimal)) and not isinstance(data__spec__elastic__maxGrowth, bool):
                                if data__spec__elastic__maxGrowth < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.maxGrowth must be bigger than or equal to 0")
                                if data__spec__elastic__maxGrowth > 65536:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic.maxGrowth must be smaller than or equal to 65536")
                        if data__spec__elastic_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.elastic must not contain "+str(data__spec__elastic_keys)+" properties")
                if "metallb" in data__spec_keys:
                    data__spec_keys.remove("metallb")
                    data__spec__metallb = data__spec["metallb"]
                    if not isinstance(data__spec__metallb, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb must be object")
                    data__spec__metallb_is_dict = isinstance(data__spec__metallb, dict)
                    if data__spec__metallb_is_dict:
                        data__spec__metallb_keys = set(data__spec__metallb.keys())
                        if "poolName" in data__spec__metallb_keys:
                            data__spec__metallb_keys.remove("poolName")
                            data__spec__metallb__poolName = data__spec__metallb["poolName"]
                            if not isinstance(data__spec__metallb__poolName, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb.poolName must be string")
                            if isinstance(data__spec__metallb__poolName, str):
                                data__spec__metallb__poolName_len = len(data__spec__metallb__poolName)
                                if data__spec__metallb__poolName_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb.poolName must be longer than or equal to 1 characters")
                                if data__spec__metallb__poolName_len > 253:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb.poolName must be shorter than or equal to 253 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'].search(data__spec__metallb__poolName):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb.poolName must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$")
                        if data__spec__metallb_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.metallb must not contain "+str(data__spec__metallb_keys)+" properties")
                if "intake" in data__spec_keys:
                    data__spec_keys.remove("intake")
                    data__spec__intake = data__spec["intake"]
                    if not isinstance(data__spec__intake, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake must be array")
                    data__spec__intake_is_list = isinstance(data__spec__intake, (list, tuple))
                    if data__spec__intake_is_list:
                        data__spec__intake_len = len(data__spec__intake)
                        for data__spec__intake_x, data__spec__intake_item in enumerate(data__spec__intake):
                            if not isinstance(data__spec__intake_item, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}]".format(**locals()) + " must be object")
                            data__spec__intake_item_is_dict = isinstance(data__spec__intake_item, dict)
                            if data__spec__intake_item_is_dict:
                                data__spec__intake_item__missing_keys = set(['kind']) - data__spec__intake_item.keys()
                                if data__spec__intake_item__missing_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}]".format(**locals()) + " must contain ")
                                data__spec__intake_item_keys = set(data__spec__intake_item.keys())
                                if "kind" in data__spec__intake_item_keys:
                                    data__spec__intake_item_keys.remove("kind")
                                    data__spec__intake_item__kind = data__spec__intake_item["kind"]
                                    if not isinstance(data__spec__intake_item__kind, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].kind".format(**locals()) + " must be string")
                                    if isinstance(data__spec__intake_item__kind, str):
                                        data__spec__intake_item__kind_len = len(data__spec__intake_item__kind)
                                        if data__spec__intake_item__kind_len < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].kind".format(**locals()) + " must be longer than or equal to 1 characters")
                                        if data__spec__intake_item__kind_len > 63:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].kind".format(**locals()) + " must be shorter than or equal to 63 characters")
                                if "namespaces" in data__spec__intake_item_keys:
                                    data__spec__intake_item_keys.remove("namespaces")
                                    data__spec__intake_item__namespaces = data__spec__intake_item["namespaces"]
                                    if not isinstance(data__spec__intake_item__namespaces, (list, tuple)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces".format(**locals()) + " must be array")
                                    data__spec__intake_item__namespaces_is_list = isinstance(data__spec__intake_item__namespaces, (list, tuple))
                                    if data__spec__intake_item__namespaces_is_list:
                                        data__spec__intake_item__namespaces_len = len(data__spec__intake_item__namespaces)
                                        if data__spec__intake_item__namespaces_len < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces".format(**locals()) + " must contain at least 1 items")
                                        def fn(var): return frozenset(dict((k, fn(v)) for k, v in var.items()).items()) if hasattr(var, "items") else tuple(fn(v) for v in var) if isinstance(var, (dict, list)) else (bool, var) if isinstance(var, bool) else var
                                        if data__spec__intake_item__namespaces_len > len(set(fn(data__spec__intake_item__namespaces_x) for data__spec__intake_item__namespaces_x in data__spec__intake_item__namespaces)):
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces".format(**locals()) + " must contain unique items")
                                        for data__spec__intake_item__namespaces_x, data__spec__intake_item__namespaces_item in enumerate(data__spec__intake_item__namespaces):
                                            if not isinstance(data__spec__intake_item__namespaces_item, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces[{data__spec__intake_item__namespaces_x}]".format(**locals()) + " must be string")
                                            if isinstance(data__spec__intake_item__namespaces_item, str):
                                                data__spec__intake_item__namespaces_item_len = len(data__spec__intake_item__namespaces_item)
                                                if data__spec__intake_item__namespaces_item_len < 1:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces[{data__spec__intake_item__namespaces_x}]".format(**locals()) + " must be longer than or equal to 1 characters")
                                                if data__spec__intake_item__namespaces_item_len > 63:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces[{data__spec__intake_item__namespaces_x}]".format(**locals()) + " must be shorter than or equal to 63 characters")
                                                if not REGEX_PATTERNS['^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$'].search(data__spec__intake_item__namespaces_item):
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}].namespaces[{data__spec__intake_item__namespaces_x}]".format(**locals()) + " must match pattern ^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$")
                                if data__spec__intake_item_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.intake[{data__spec__intake_x}]".format(**locals()) + " must not contain "+str(data__spec__intake_item_keys)+" properties")
                if "limits" in data__spec_keys:
                    data__spec_keys.remove("limits")
                    data__spec__limits = data__spec["limits"]
                    if not isinstance(data__spec__limits, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits must be object")
                    data__spec__limits_is_dict = isinstance(data__spec__limits, dict)
                    if data__spec__limits_is_dict:
                        data__spec__limits_keys = set(data__spec__limits.keys())
                        if "files" in data__spec__limits_keys:
                            data__spec__limits_keys.remove("files")
                            data__spec__limits__files = data__spec__limits["files"]
                            if not isinstance(data__spec__limits__files, (int)) and not (isinstance(data__spec__limits__files, float) and data__spec__limits__files.is_integer()) or isinstance(data__spec__limits__files, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.files must be integer")
                            if isinstance(data__spec__limits__files, (int, float, Decimal)) and not isinstance(data__spec__limits__files, bool):
                                if data__spec__limits__files < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.files must be bigger than or equal to 1")
                                if data__spec__limits__files > 100000000:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.files must be smaller than or equal to 100000000")
                        if "bytes" in data__spec__limits_keys:
                            data__spec__limits_keys.remove("bytes")
                            data__spec__limits__bytes = data__spec__limits["bytes"]
                            if not isinstance(data__spec__limits__bytes, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.bytes must be string")
                            if isinstance(data__spec__limits__bytes, str):
                                if not REGEX_PATTERNS['^[1-9][0-9]{0,11}(Ki|Mi|Gi)?$'].search(data__spec__limits__bytes):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.bytes must match pattern ^[1-9][0-9]{0,11}(Ki|Mi|Gi)?$")
                        if data__spec__limits_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits must not contain "+str(data__spec__limits_keys)+" properties")
                if "apply" in data__spec_keys:
                    data__spec_keys.remove("apply")
                    data__spec__apply = data__spec["apply"]
                    if not isinstance(data__spec__apply, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.apply must be object")
                    data__spec__apply_is_dict = isinstance(data__spec__apply, dict)
                    if data__spec__apply_is_dict:
                        data__spec__apply_keys = set(data__spec__apply.keys())
                        if "documents" in data__spec__apply_keys:
                            data__spec__apply_keys.remove("documents")
                            data__spec__apply__documents = data__spec__apply["documents"]
                            if not isinstance(data__spec__apply__documents, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.apply.documents must be string")
                            if not (isinstance(data__spec__apply__documents, str) and data__spec__apply__documents == 'pools' or isinstance(data__spec__apply__documents, str) and data__spec__apply__documents == 'all'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.apply.documents must be one of ['pools', 'all']")
                        if data__spec__apply_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.apply must not contain "+str(data__spec__apply_keys)+" properties")
                if "committer" in data__spec_keys:
                    data__spec_keys.remove("committer")
                    data__spec__committer = data__spec["committer"]
                    if not isinstance(data__spec__committer, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer must be object")
                    data__spec__committer_is_dict = isinstance(data__spec__committer, dict)
                    if data__spec__committer_is_dict:
                        data__spec__committer_keys = set(data__spec__committer.keys())
                        if "name" in data__spec__committer_keys:
                            data__spec__committer_keys.remove("name")
                            data__spec__committer__name = data__spec__committer["name"]
                            if not isinstance(data__spec__committer__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.name must be string")
                            if isinstance(data__spec__committer__name, str):
                                data__spec__committer__name_len = len(data__spec__committer__name)
                                if data__spec__committer__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.name must be longer than or equal to 1 characters")
                                if data__spec__committer__name_len > 100:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.name must be shorter than or equal to 100 characters")
                                if not REGEX_PATTERNS['^[^<>\\u0000-\\u001f\\u007f]+$'].search(data__spec__committer__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.name must match pattern ^[^<>\\u0000-\\u001f\\u007f]+$")
                        if "email" in data__spec__committer_keys:
                            data__spec__committer_keys.remove("email")
                            data__spec__committer__email = data__spec__committer["email"]
                            if not isinstance(data__spec__committer__email, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.email must be string")
                            if isinstance(data__spec__committer__email, str):
                                data__spec__committer__email_len = len(data__spec__committer__email)
                                if data__spec__committer__email_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.email must be longer than or equal to 1 characters")
                                if data__spec__committer__email_len > 200:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.email must be shorter than or equal to 200 characters")
                                if not REGEX_PATTERNS['^[!-;=?-~]+$'].search(data__spec__committer__email):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer.email must match pattern ^[!-;=?-~]+$")
                        if data__spec__committer_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.committer must not contain "+str(data__spec__committer_keys)+" properties")
                if "commit" in data__spec_keys:
                    data__spec_keys.remove("commit")
                    data__spec__commit = data__spec["commit"]
                    if not isinstance(data__spec__commit, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.commit must be object")
                    data__spec__commit_is_dict = isinstance(data__spec__commit, dict)
                    if data__spec__commit_is_dict:
                        data__spec__commit_keys = set(data__spec__commit.keys())
                        if "skipCi" in data__spec__commit_keys:
                            data__spec__commit_keys.remove("skipCi")
                            data__spec__commit__skipCi = data__spec__commit["skipCi"]
                            if not isinstance(data__spec__commit__skipCi, (bool)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.commit.skipCi must be boolean")
                        if data__spec__commit_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.commit must not contain "+str(data__spec__commit_keys)+" properties")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_own_settings_json

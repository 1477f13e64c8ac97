/**
 * The types that objects of built-in kinds are made of: a line for each type, with its fields as `name:type`.
 * `!` marks a required field, `[]` a list and `{}` a map. `builtInSchema` reads it.
 *
 * Written by scripts/generate-built-in-types.ts from the types of @kubernetes/client-node.
 */
export const builtInTypes = `
admissionregistration.v1.ServiceReference name!:s namespace!:s path:s port:i
admissionregistration.v1.WebhookClientConfig caBundle:y service:admissionregistration.v1.ServiceReference url:s
apiextensions.v1.ServiceReference name!:s namespace!:s path:s port:i
apiextensions.v1.WebhookClientConfig caBundle:y service:apiextensions.v1.ServiceReference url:s
apiregistration.v1.ServiceReference name:s namespace:s port:i
core.v1.EndpointPort appProtocol:s name:s port!:i protocol:s
core.v1.Event action:s apiVersion:s count:i eventTime:m firstTimestamp:t involvedObject!:v1.ObjectReference kind:s lastTimestamp:t message:s metadata!:v1.ObjectMeta reason:s related:v1.ObjectReference reportingComponent:s reportingInstance:s series:core.v1.EventSeries source:v1.EventSource type:s
core.v1.EventSeries count:i lastObservedTime:m
core.v1.ResourceClaim name!:s request:s
discovery.v1.EndpointPort appProtocol:s name:s port:i protocol:s
events.v1.Event action:s apiVersion:s deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:v1.EventSource eventTime!:m kind:s metadata:v1.ObjectMeta note:s reason:s regarding:v1.ObjectReference related:v1.ObjectReference reportingController:s reportingInstance:s series:events.v1.EventSeries type:s
events.v1.EventSeries count!:i lastObservedTime!:m
flowcontrol.v1.Subject group:v1.GroupSubject kind!:s serviceAccount:v1.ServiceAccountSubject user:v1.UserSubject
rbac.v1.Subject apiGroup:s kind!:s name!:s namespace:s
resource.v1.ResourceClaim apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.ResourceClaimSpec status:v1.ResourceClaimStatus
storage.v1.TokenRequest audience!:s expirationSeconds:l
v1.APIService apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.APIServiceSpec status:v1.APIServiceStatus
v1.APIServiceCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.APIServiceSpec caBundle:y group:s groupPriorityMinimum!:i insecureSkipTLSVerify:b service:apiregistration.v1.ServiceReference version:s versionPriority!:i
v1.APIServiceStatus conditions:[]v1.APIServiceCondition
v1.AWSElasticBlockStoreVolumeSource fsType:s partition:i readOnly:b volumeID!:s
v1.Affinity nodeAffinity:v1.NodeAffinity podAffinity:v1.PodAffinity podAntiAffinity:v1.PodAntiAffinity
v1.AggregationRule clusterRoleSelectors:[]v1.LabelSelector
v1.AllocatedDeviceStatus conditions:[]v1.Condition data:a device!:s driver!:s networkData:v1.NetworkDeviceData pool!:s shareID:s
v1.AllocationResult allocationTimestamp:t devices:v1.DeviceAllocationResult nodeSelector:v1.NodeSelector
v1.AppArmorProfile localhostProfile:s type!:s
v1.AttachedVolume devicePath!:s name!:s
v1.AuditAnnotation key!:s valueExpression!:s
v1.AzureDiskVolumeSource cachingMode:s diskName!:s diskURI!:s fsType:s kind:s readOnly:b
v1.AzureFilePersistentVolumeSource readOnly:b secretName!:s secretNamespace:s shareName!:s
v1.AzureFileVolumeSource readOnly:b secretName!:s shareName!:s
v1.CELDeviceSelector expression!:s
v1.CSIDriver apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.CSIDriverSpec
v1.CSIDriverSpec attachRequired:b fsGroupPolicy:s nodeAllocatableUpdatePeriodSeconds:l podInfoOnMount:b requiresRepublish:b seLinuxMount:b storageCapacity:b tokenRequests:[]storage.v1.TokenRequest volumeLifecycleModes:[]s
v1.CSINode apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.CSINodeSpec
v1.CSINodeDriver allocatable:v1.VolumeNodeResources name!:s nodeID!:s topologyKeys:[]s
v1.CSINodeSpec drivers!:[]v1.CSINodeDriver
v1.CSIPersistentVolumeSource controllerExpandSecretRef:v1.SecretReference controllerPublishSecretRef:v1.SecretReference driver!:s fsType:s nodeExpandSecretRef:v1.SecretReference nodePublishSecretRef:v1.SecretReference nodeStageSecretRef:v1.SecretReference readOnly:b volumeAttributes:{}s volumeHandle!:s
v1.CSIStorageCapacity apiVersion:s capacity:q kind:s maximumVolumeSize:q metadata:v1.ObjectMeta nodeTopology:v1.LabelSelector storageClassName!:s
v1.CSIVolumeSource driver!:s fsType:s nodePublishSecretRef:v1.LocalObjectReference readOnly:b volumeAttributes:{}s
v1.Capabilities add:[]s drop:[]s
v1.CapacityRequestPolicy default:q validRange:v1.CapacityRequestPolicyRange validValues:[]q
v1.CapacityRequestPolicyRange max:q min!:q step:q
v1.CapacityRequirements requests:{}q
v1.CephFSPersistentVolumeSource monitors!:[]s path:s readOnly:b secretFile:s secretRef:v1.SecretReference user:s
v1.CephFSVolumeSource monitors!:[]s path:s readOnly:b secretFile:s secretRef:v1.LocalObjectReference user:s
v1.CertificateSigningRequest apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.CertificateSigningRequestSpec status:v1.CertificateSigningRequestStatus
v1.CertificateSigningRequestCondition lastTransitionTime:t lastUpdateTime:t message:s reason:s status!:s type!:s
v1.CertificateSigningRequestSpec expirationSeconds:i extra:{}[]s groups:[]s request!:y signerName!:s uid:s usages:[]s username:s
v1.CertificateSigningRequestStatus certificate:y conditions:[]v1.CertificateSigningRequestCondition
v1.CinderPersistentVolumeSource fsType:s readOnly:b secretRef:v1.SecretReference volumeID!:s
v1.CinderVolumeSource fsType:s readOnly:b secretRef:v1.LocalObjectReference volumeID!:s
v1.ClientIPConfig timeoutSeconds:i
v1.ClusterRole aggregationRule:v1.AggregationRule apiVersion:s kind:s metadata:v1.ObjectMeta rules:[]v1.PolicyRule
v1.ClusterRoleBinding apiVersion:s kind:s metadata:v1.ObjectMeta roleRef!:v1.RoleRef subjects:[]rbac.v1.Subject
v1.ClusterTrustBundleProjection labelSelector:v1.LabelSelector name:s optional:b path!:s signerName:s
v1.Condition lastTransitionTime!:t message!:s observedGeneration:l reason!:s status!:s type!:s
v1.ConfigMap apiVersion:s binaryData:{}y data:{}s immutable:b kind:s metadata:v1.ObjectMeta
v1.ConfigMapEnvSource name:s optional:b
v1.ConfigMapKeySelector key!:s name:s optional:b
v1.ConfigMapNodeConfigSource kubeletConfigKey!:s name!:s namespace!:s resourceVersion:s uid:s
v1.ConfigMapProjection items:[]v1.KeyToPath name:s optional:b
v1.ConfigMapVolumeSource defaultMode:i items:[]v1.KeyToPath name:s optional:b
v1.Container args:[]s command:[]s env:[]v1.EnvVar envFrom:[]v1.EnvFromSource image:s imagePullPolicy:s lifecycle:v1.Lifecycle livenessProbe:v1.Probe name!:s ports:[]v1.ContainerPort readinessProbe:v1.Probe resizePolicy:[]v1.ContainerResizePolicy resources:v1.ResourceRequirements restartPolicy:s restartPolicyRules:[]v1.ContainerRestartRule securityContext:v1.SecurityContext startupProbe:v1.Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[]v1.VolumeDevice volumeMounts:[]v1.VolumeMount workingDir:s
v1.ContainerExtendedResourceRequest containerName!:s requestName!:s resourceName!:s
v1.ContainerImage names:[]s sizeBytes:l
v1.ContainerPort containerPort!:i hostIP:s hostPort:i name:s protocol:s
v1.ContainerResizePolicy resourceName!:s restartPolicy!:s
v1.ContainerRestartRule action!:s exitCodes:v1.ContainerRestartRuleOnExitCodes
v1.ContainerRestartRuleOnExitCodes operator!:s values:[]i
v1.ContainerState running:v1.ContainerStateRunning terminated:v1.ContainerStateTerminated waiting:v1.ContainerStateWaiting
v1.ContainerStateRunning startedAt:t
v1.ContainerStateTerminated containerID:s exitCode!:i finishedAt:t message:s reason:s signal:i startedAt:t
v1.ContainerStateWaiting message:s reason:s
v1.ContainerStatus allocatedResources:{}q allocatedResourcesStatus:[]v1.ResourceStatus containerID:s image!:s imageID!:s lastState:v1.ContainerState name!:s ready!:b resources:v1.ResourceRequirements restartCount!:i started:b state:v1.ContainerState stopSignal:s user:v1.ContainerUser volumeMounts:[]v1.VolumeMountStatus
v1.ContainerUser linux:v1.LinuxContainerUser
v1.ControllerRevision apiVersion:s data:a kind:s metadata:v1.ObjectMeta revision!:l
v1.Counter value!:q
v1.CounterSet counters!:{}v1.Counter name!:s
v1.CronJob apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.CronJobSpec status:v1.CronJobStatus
v1.CronJobSpec concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate!:v1.JobTemplateSpec schedule!:s startingDeadlineSeconds:l successfulJobsHistoryLimit:i suspend:b timeZone:s
v1.CronJobStatus active:[]v1.ObjectReference lastScheduleTime:t lastSuccessfulTime:t
v1.CrossVersionObjectReference apiVersion:s kind!:s name!:s
v1.CustomResourceColumnDefinition description:s format:s jsonPath!:s name!:s priority:i type!:s
v1.CustomResourceConversion strategy!:s webhook:v1.WebhookConversion
v1.CustomResourceDefinition apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.CustomResourceDefinitionSpec status:v1.CustomResourceDefinitionStatus
v1.CustomResourceDefinitionCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.CustomResourceDefinitionNames categories:[]s kind!:s listKind:s plural!:s shortNames:[]s singular:s
v1.CustomResourceDefinitionSpec conversion:v1.CustomResourceConversion group!:s names!:v1.CustomResourceDefinitionNames preserveUnknownFields:b scope!:s versions!:[]v1.CustomResourceDefinitionVersion
v1.CustomResourceDefinitionStatus acceptedNames:v1.CustomResourceDefinitionNames conditions:[]v1.CustomResourceDefinitionCondition storedVersions:[]s
v1.CustomResourceDefinitionVersion additionalPrinterColumns:[]v1.CustomResourceColumnDefinition deprecated:b deprecationWarning:s name!:s schema:v1.CustomResourceValidation selectableFields:[]v1.SelectableField served!:b storage!:b subresources:v1.CustomResourceSubresources
v1.CustomResourceSubresourceScale labelSelectorPath:s specReplicasPath!:s statusReplicasPath!:s
v1.CustomResourceSubresources scale:v1.CustomResourceSubresourceScale status:a
v1.CustomResourceValidation openAPIV3Schema:v1.JSONSchemaProps
v1.DaemonEndpoint Port!:i
v1.DaemonSet apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.DaemonSetSpec status:v1.DaemonSetStatus
v1.DaemonSetCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector!:v1.LabelSelector template!:v1.PodTemplateSpec updateStrategy:v1.DaemonSetUpdateStrategy
v1.DaemonSetStatus collisionCount:i conditions:[]v1.DaemonSetCondition currentNumberScheduled!:i desiredNumberScheduled!:i numberAvailable:i numberMisscheduled!:i numberReady!:i numberUnavailable:i observedGeneration:l updatedNumberScheduled:i
v1.DaemonSetUpdateStrategy rollingUpdate:v1.RollingUpdateDaemonSet type:s
v1.Deployment apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.DeploymentSpec status:v1.DeploymentStatus
v1.DeploymentCondition lastTransitionTime:t lastUpdateTime:t message:s reason:s status!:s type!:s
v1.DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector!:v1.LabelSelector strategy:v1.DeploymentStrategy template!:v1.PodTemplateSpec
v1.DeploymentStatus availableReplicas:i collisionCount:i conditions:[]v1.DeploymentCondition observedGeneration:l readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
v1.DeploymentStrategy rollingUpdate:v1.RollingUpdateDeployment type:s
v1.Device allNodes:b allowMultipleAllocations:b attributes:{}v1.DeviceAttribute bindingConditions:[]s bindingFailureConditions:[]s bindsToNode:b capacity:{}v1.DeviceCapacity consumesCounters:[]v1.DeviceCounterConsumption name!:s nodeName:s nodeSelector:v1.NodeSelector taints:[]v1.DeviceTaint
v1.DeviceAllocationConfiguration opaque:v1.OpaqueDeviceConfiguration requests:[]s source!:s
v1.DeviceAllocationResult config:[]v1.DeviceAllocationConfiguration results:[]v1.DeviceRequestAllocationResult
v1.DeviceAttribute bool:b int:l string:s version:s
v1.DeviceCapacity requestPolicy:v1.CapacityRequestPolicy value!:q
v1.DeviceClaim config:[]v1.DeviceClaimConfiguration constraints:[]v1.DeviceConstraint requests:[]v1.DeviceRequest
v1.DeviceClaimConfiguration opaque:v1.OpaqueDeviceConfiguration requests:[]s
v1.DeviceClass apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.DeviceClassSpec
v1.DeviceClassConfiguration opaque:v1.OpaqueDeviceConfiguration
v1.DeviceClassSpec config:[]v1.DeviceClassConfiguration extendedResourceName:s selectors:[]v1.DeviceSelector
v1.DeviceConstraint distinctAttribute:s matchAttribute:s requests:[]s
v1.DeviceCounterConsumption counterSet!:s counters!:{}v1.Counter
v1.DeviceRequest exactly:v1.ExactDeviceRequest firstAvailable:[]v1.DeviceSubRequest name!:s
v1.DeviceRequestAllocationResult adminAccess:b bindingConditions:[]s bindingFailureConditions:[]s consumedCapacity:{}q device!:s driver!:s pool!:s request!:s shareID:s tolerations:[]v1.DeviceToleration
v1.DeviceSelector cel:v1.CELDeviceSelector
v1.DeviceSubRequest allocationMode:s capacity:v1.CapacityRequirements count:l deviceClassName!:s name!:s selectors:[]v1.DeviceSelector tolerations:[]v1.DeviceToleration
v1.DeviceTaint effect!:s key!:s timeAdded:t value:s
v1.DeviceToleration effect:s key:s operator:s tolerationSeconds:l value:s
v1.DownwardAPIProjection items:[]v1.DownwardAPIVolumeFile
v1.DownwardAPIVolumeFile fieldRef:v1.ObjectFieldSelector mode:i path!:s resourceFieldRef:v1.ResourceFieldSelector
v1.DownwardAPIVolumeSource defaultMode:i items:[]v1.DownwardAPIVolumeFile
v1.EmptyDirVolumeSource medium:s sizeLimit:q
v1.Endpoint addresses!:[]s conditions:v1.EndpointConditions deprecatedTopology:{}s hints:v1.EndpointHints hostname:s nodeName:s targetRef:v1.ObjectReference zone:s
v1.EndpointAddress hostname:s ip!:s nodeName:s targetRef:v1.ObjectReference
v1.EndpointConditions ready:b serving:b terminating:b
v1.EndpointHints forNodes:[]v1.ForNode forZones:[]v1.ForZone
v1.EndpointSlice addressType!:s apiVersion:s endpoints!:[]v1.Endpoint kind:s metadata:v1.ObjectMeta ports:[]discovery.v1.EndpointPort
v1.EndpointSubset addresses:[]v1.EndpointAddress notReadyAddresses:[]v1.EndpointAddress ports:[]core.v1.EndpointPort
v1.Endpoints apiVersion:s kind:s metadata:v1.ObjectMeta subsets:[]v1.EndpointSubset
v1.EnvFromSource configMapRef:v1.ConfigMapEnvSource prefix:s secretRef:v1.SecretEnvSource
v1.EnvVar name!:s value:s valueFrom:v1.EnvVarSource
v1.EnvVarSource configMapKeyRef:v1.ConfigMapKeySelector fieldRef:v1.ObjectFieldSelector fileKeyRef:v1.FileKeySelector resourceFieldRef:v1.ResourceFieldSelector secretKeyRef:v1.SecretKeySelector
v1.EphemeralContainer args:[]s command:[]s env:[]v1.EnvVar envFrom:[]v1.EnvFromSource image:s imagePullPolicy:s lifecycle:v1.Lifecycle livenessProbe:v1.Probe name!:s ports:[]v1.ContainerPort readinessProbe:v1.Probe resizePolicy:[]v1.ContainerResizePolicy resources:v1.ResourceRequirements restartPolicy:s restartPolicyRules:[]v1.ContainerRestartRule securityContext:v1.SecurityContext startupProbe:v1.Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[]v1.VolumeDevice volumeMounts:[]v1.VolumeMount workingDir:s
v1.EphemeralVolumeSource volumeClaimTemplate:v1.PersistentVolumeClaimTemplate
v1.EventSource component:s host:s
v1.ExactDeviceRequest adminAccess:b allocationMode:s capacity:v1.CapacityRequirements count:l deviceClassName!:s selectors:[]v1.DeviceSelector tolerations:[]v1.DeviceToleration
v1.ExecAction command:[]s
v1.ExemptPriorityLevelConfiguration lendablePercent:i nominalConcurrencyShares:i
v1.ExpressionWarning fieldRef!:s warning!:s
v1.ExternalDocumentation description:s url:s
v1.FCVolumeSource fsType:s lun:i readOnly:b targetWWNs:[]s wwids:[]s
v1.FileKeySelector key!:s optional:b path!:s volumeName!:s
v1.FlexPersistentVolumeSource driver!:s fsType:s options:{}s readOnly:b secretRef:v1.SecretReference
v1.FlexVolumeSource driver!:s fsType:s options:{}s readOnly:b secretRef:v1.LocalObjectReference
v1.FlockerVolumeSource datasetName:s datasetUUID:s
v1.FlowDistinguisherMethod type!:s
v1.FlowSchema apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.FlowSchemaSpec status:v1.FlowSchemaStatus
v1.FlowSchemaCondition lastTransitionTime:t message:s reason:s status:s type:s
v1.FlowSchemaSpec distinguisherMethod:v1.FlowDistinguisherMethod matchingPrecedence:i priorityLevelConfiguration!:v1.PriorityLevelConfigurationReference rules:[]v1.PolicyRulesWithSubjects
v1.FlowSchemaStatus conditions:[]v1.FlowSchemaCondition
v1.ForNode name!:s
v1.ForZone name!:s
v1.GCEPersistentDiskVolumeSource fsType:s partition:i pdName!:s readOnly:b
v1.GRPCAction port!:i service:s
v1.GitRepoVolumeSource directory:s repository!:s revision:s
v1.GlusterfsPersistentVolumeSource endpoints!:s endpointsNamespace:s path!:s readOnly:b
v1.GlusterfsVolumeSource endpoints!:s path!:s readOnly:b
v1.GroupSubject name!:s
v1.HTTPGetAction host:s httpHeaders:[]v1.HTTPHeader path:s port!:x scheme:s
v1.HTTPHeader name!:s value!:s
v1.HTTPIngressPath backend!:v1.IngressBackend path:s pathType!:s
v1.HTTPIngressRuleValue paths!:[]v1.HTTPIngressPath
v1.HorizontalPodAutoscaler apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.HorizontalPodAutoscalerSpec status:v1.HorizontalPodAutoscalerStatus
v1.HorizontalPodAutoscalerSpec maxReplicas!:i minReplicas:i scaleTargetRef!:v1.CrossVersionObjectReference targetCPUUtilizationPercentage:i
v1.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage:i currentReplicas!:i desiredReplicas!:i lastScaleTime:t observedGeneration:l
v1.HostAlias hostnames:[]s ip!:s
v1.HostIP ip!:s
v1.HostPathVolumeSource path!:s type:s
v1.IPAddress apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.IPAddressSpec
v1.IPAddressSpec parentRef!:v1.ParentReference
v1.IPBlock cidr!:s except:[]s
v1.ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn!:s iscsiInterface:s lun!:i portals:[]s readOnly:b secretRef:v1.SecretReference targetPortal!:s
v1.ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn!:s iscsiInterface:s lun!:i portals:[]s readOnly:b secretRef:v1.LocalObjectReference targetPortal!:s
v1.ImageVolumeSource pullPolicy:s reference:s
v1.Ingress apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.IngressSpec status:v1.IngressStatus
v1.IngressBackend resource:v1.TypedLocalObjectReference service:v1.IngressServiceBackend
v1.IngressClass apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.IngressClassSpec
v1.IngressClassParametersReference apiGroup:s kind!:s name!:s namespace:s scope:s
v1.IngressClassSpec controller:s parameters:v1.IngressClassParametersReference
v1.IngressLoadBalancerIngress hostname:s ip:s ports:[]v1.IngressPortStatus
v1.IngressLoadBalancerStatus ingress:[]v1.IngressLoadBalancerIngress
v1.IngressPortStatus error:s port!:i protocol!:s
v1.IngressRule host:s http:v1.HTTPIngressRuleValue
v1.IngressServiceBackend name!:s port:v1.ServiceBackendPort
v1.IngressSpec defaultBackend:v1.IngressBackend ingressClassName:s rules:[]v1.IngressRule tls:[]v1.IngressTLS
v1.IngressStatus loadBalancer:v1.IngressLoadBalancerStatus
v1.IngressTLS hosts:[]s secretName:s
v1.JSONSchemaProps $ref:s $schema:s additionalItems:a additionalProperties:a allOf:[]v1.JSONSchemaProps anyOf:[]v1.JSONSchemaProps default:a definitions:{}v1.JSONSchemaProps dependencies:{}a description:s enum:[]a example:a exclusiveMaximum:b exclusiveMinimum:b externalDocs:v1.ExternalDocumentation format:s id:s items:a maxItems:l maxLength:l maxProperties:l maximum:d minItems:l minLength:l minProperties:l minimum:d multipleOf:d not:v1.JSONSchemaProps nullable:b oneOf:[]v1.JSONSchemaProps pattern:s patternProperties:{}v1.JSONSchemaProps properties:{}v1.JSONSchemaProps required:[]s title:s type:s uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[]s x-kubernetes-list-type:s x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:[]v1.ValidationRule
v1.Job apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.JobSpec status:v1.JobStatus
v1.JobCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status!:s type!:s
v1.JobSpec activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:v1.PodFailurePolicy podReplacementPolicy:s selector:v1.LabelSelector successPolicy:v1.SuccessPolicy suspend:b template!:v1.PodTemplateSpec ttlSecondsAfterFinished:i
v1.JobStatus active:i completedIndexes:s completionTime:t conditions:[]v1.JobCondition failed:i failedIndexes:s ready:i startTime:t succeeded:i terminating:i uncountedTerminatedPods:v1.UncountedTerminatedPods
v1.JobTemplateSpec metadata:v1.ObjectMeta spec:v1.JobSpec
v1.KeyToPath key!:s mode:i path!:s
v1.LabelSelector matchExpressions:[]v1.LabelSelectorRequirement matchLabels:{}s
v1.LabelSelectorRequirement key!:s operator!:s values:[]s
v1.Lease apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.LeaseSpec
v1.LeaseSpec acquireTime:m holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:m strategy:s
v1.Lifecycle postStart:v1.LifecycleHandler preStop:v1.LifecycleHandler stopSignal:s
v1.LifecycleHandler exec:v1.ExecAction httpGet:v1.HTTPGetAction sleep:v1.SleepAction tcpSocket:v1.TCPSocketAction
v1.LimitRange apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.LimitRangeSpec
v1.LimitRangeItem default:{}q defaultRequest:{}q max:{}q maxLimitRequestRatio:{}q min:{}q type!:s
v1.LimitRangeSpec limits!:[]v1.LimitRangeItem
v1.LimitResponse queuing:v1.QueuingConfiguration type!:s
v1.LimitedPriorityLevelConfiguration borrowingLimitPercent:i lendablePercent:i limitResponse:v1.LimitResponse nominalConcurrencyShares:i
v1.LinuxContainerUser gid!:l supplementalGroups:[]l uid!:l
v1.LoadBalancerIngress hostname:s ip:s ipMode:s ports:[]v1.PortStatus
v1.LoadBalancerStatus ingress:[]v1.LoadBalancerIngress
v1.LocalObjectReference name:s
v1.LocalVolumeSource fsType:s path!:s
v1.ManagedFieldsEntry apiVersion:s fieldsType:s fieldsV1:a manager:s operation:s subresource:s time:t
v1.MatchCondition expression!:s name!:s
v1.MatchResources excludeResourceRules:[]v1.NamedRuleWithOperations matchPolicy:s namespaceSelector:v1.LabelSelector objectSelector:v1.LabelSelector resourceRules:[]v1.NamedRuleWithOperations
v1.ModifyVolumeStatus status!:s targetVolumeAttributesClassName:s
v1.MutatingWebhook admissionReviewVersions!:[]s clientConfig!:admissionregistration.v1.WebhookClientConfig failurePolicy:s matchConditions:[]v1.MatchCondition matchPolicy:s name!:s namespaceSelector:v1.LabelSelector objectSelector:v1.LabelSelector reinvocationPolicy:s rules:[]v1.RuleWithOperations sideEffects!:s timeoutSeconds:i
v1.MutatingWebhookConfiguration apiVersion:s kind:s metadata:v1.ObjectMeta webhooks:[]v1.MutatingWebhook
v1.NFSVolumeSource path!:s readOnly:b server!:s
v1.NamedRuleWithOperations apiGroups:[]s apiVersions:[]s operations:[]s resourceNames:[]s resources:[]s scope:s
v1.Namespace apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.NamespaceSpec status:v1.NamespaceStatus
v1.NamespaceCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.NamespaceSpec finalizers:[]s
v1.NamespaceStatus conditions:[]v1.NamespaceCondition phase:s
v1.NetworkDeviceData hardwareAddress:s interfaceName:s ips:[]s
v1.NetworkPolicy apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.NetworkPolicySpec
v1.NetworkPolicyEgressRule ports:[]v1.NetworkPolicyPort to:[]v1.NetworkPolicyPeer
v1.NetworkPolicyIngressRule from:[]v1.NetworkPolicyPeer ports:[]v1.NetworkPolicyPort
v1.NetworkPolicyPeer ipBlock:v1.IPBlock namespaceSelector:v1.LabelSelector podSelector:v1.LabelSelector
v1.NetworkPolicyPort endPort:i port:x protocol:s
v1.NetworkPolicySpec egress:[]v1.NetworkPolicyEgressRule ingress:[]v1.NetworkPolicyIngressRule podSelector:v1.LabelSelector policyTypes:[]s
v1.Node apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.NodeSpec status:v1.NodeStatus
v1.NodeAddress address!:s type!:s
v1.NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[]v1.PreferredSchedulingTerm requiredDuringSchedulingIgnoredDuringExecution:v1.NodeSelector
v1.NodeCondition lastHeartbeatTime:t lastTransitionTime:t message:s reason:s status!:s type!:s
v1.NodeConfigSource configMap:v1.ConfigMapNodeConfigSource
v1.NodeConfigStatus active:v1.NodeConfigSource assigned:v1.NodeConfigSource error:s lastKnownGood:v1.NodeConfigSource
v1.NodeDaemonEndpoints kubeletEndpoint:v1.DaemonEndpoint
v1.NodeFeatures supplementalGroupsPolicy:b
v1.NodeRuntimeHandler features:v1.NodeRuntimeHandlerFeatures name:s
v1.NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b
v1.NodeSelector nodeSelectorTerms!:[]v1.NodeSelectorTerm
v1.NodeSelectorRequirement key!:s operator!:s values:[]s
v1.NodeSelectorTerm matchExpressions:[]v1.NodeSelectorRequirement matchFields:[]v1.NodeSelectorRequirement
v1.NodeSpec configSource:v1.NodeConfigSource externalID:s podCIDR:s podCIDRs:[]s providerID:s taints:[]v1.Taint unschedulable:b
v1.NodeStatus addresses:[]v1.NodeAddress allocatable:{}q capacity:{}q conditions:[]v1.NodeCondition config:v1.NodeConfigStatus daemonEndpoints:v1.NodeDaemonEndpoints features:v1.NodeFeatures images:[]v1.ContainerImage nodeInfo:v1.NodeSystemInfo phase:s runtimeHandlers:[]v1.NodeRuntimeHandler volumesAttached:[]v1.AttachedVolume volumesInUse:[]s
v1.NodeSwapStatus capacity:l
v1.NodeSystemInfo architecture!:s bootID!:s containerRuntimeVersion!:s kernelVersion!:s kubeProxyVersion!:s kubeletVersion!:s machineID!:s operatingSystem!:s osImage!:s swap:v1.NodeSwapStatus systemUUID!:s
v1.NonResourcePolicyRule nonResourceURLs!:[]s verbs!:[]s
v1.ObjectFieldSelector apiVersion:s fieldPath!:s
v1.ObjectMeta annotations:{}s creationTimestamp:t deletionGracePeriodSeconds:l deletionTimestamp:t finalizers:[]s generateName:s generation:l labels:{}s managedFields:[]v1.ManagedFieldsEntry name:s namespace:s ownerReferences:[]v1.OwnerReference resourceVersion:s selfLink:s uid:s
v1.ObjectReference apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s
v1.OpaqueDeviceConfiguration driver!:s parameters!:a
v1.Overhead podFixed:{}q
v1.OwnerReference apiVersion!:s blockOwnerDeletion:b controller:b kind!:s name!:s uid!:s
v1.ParamKind apiVersion:s kind:s
v1.ParamRef name:s namespace:s parameterNotFoundAction:s selector:v1.LabelSelector
v1.ParentReference group:s name!:s namespace:s resource!:s
v1.PersistentVolume apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.PersistentVolumeSpec status:v1.PersistentVolumeStatus
v1.PersistentVolumeClaim apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.PersistentVolumeClaimSpec status:v1.PersistentVolumeClaimStatus
v1.PersistentVolumeClaimCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status!:s type!:s
v1.PersistentVolumeClaimSpec accessModes:[]s dataSource:v1.TypedLocalObjectReference dataSourceRef:v1.TypedObjectReference resources:v1.VolumeResourceRequirements selector:v1.LabelSelector storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s
v1.PersistentVolumeClaimStatus accessModes:[]s allocatedResourceStatuses:{}s allocatedResources:{}q capacity:{}q conditions:[]v1.PersistentVolumeClaimCondition currentVolumeAttributesClassName:s modifyVolumeStatus:v1.ModifyVolumeStatus phase:s
v1.PersistentVolumeClaimTemplate metadata:v1.ObjectMeta spec!:v1.PersistentVolumeClaimSpec
v1.PersistentVolumeClaimVolumeSource claimName!:s readOnly:b
v1.PersistentVolumeSpec accessModes:[]s awsElasticBlockStore:v1.AWSElasticBlockStoreVolumeSource azureDisk:v1.AzureDiskVolumeSource azureFile:v1.AzureFilePersistentVolumeSource capacity:{}q cephfs:v1.CephFSPersistentVolumeSource cinder:v1.CinderPersistentVolumeSource claimRef:v1.ObjectReference csi:v1.CSIPersistentVolumeSource fc:v1.FCVolumeSource flexVolume:v1.FlexPersistentVolumeSource flocker:v1.FlockerVolumeSource gcePersistentDisk:v1.GCEPersistentDiskVolumeSource glusterfs:v1.GlusterfsPersistentVolumeSource hostPath:v1.HostPathVolumeSource iscsi:v1.ISCSIPersistentVolumeSource local:v1.LocalVolumeSource mountOptions:[]s nfs:v1.NFSVolumeSource nodeAffinity:v1.VolumeNodeAffinity persistentVolumeReclaimPolicy:s photonPersistentDisk:v1.PhotonPersistentDiskVolumeSource portworxVolume:v1.PortworxVolumeSource quobyte:v1.QuobyteVolumeSource rbd:v1.RBDPersistentVolumeSource scaleIO:v1.ScaleIOPersistentVolumeSource storageClassName:s storageos:v1.StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:s vsphereVolume:v1.VsphereVirtualDiskVolumeSource
v1.PersistentVolumeStatus lastPhaseTransitionTime:t message:s phase:s reason:s
v1.PhotonPersistentDiskVolumeSource fsType:s pdID!:s
v1.Pod apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.PodSpec status:v1.PodStatus
v1.PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm
v1.PodAffinityTerm labelSelector:v1.LabelSelector matchLabelKeys:[]s mismatchLabelKeys:[]s namespaceSelector:v1.LabelSelector namespaces:[]s topologyKey!:s
v1.PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[]v1.WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution:[]v1.PodAffinityTerm
v1.PodCertificateProjection certificateChainPath:s credentialBundlePath:s keyPath:s keyType!:s maxExpirationSeconds:i signerName!:s
v1.PodCondition lastProbeTime:t lastTransitionTime:t message:s observedGeneration:l reason:s status!:s type!:s
v1.PodDNSConfig nameservers:[]s options:[]v1.PodDNSConfigOption searches:[]s
v1.PodDNSConfigOption name:s value:s
v1.PodDisruptionBudget apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.PodDisruptionBudgetSpec status:v1.PodDisruptionBudgetStatus
v1.PodDisruptionBudgetSpec maxUnavailable:x minAvailable:x selector:v1.LabelSelector unhealthyPodEvictionPolicy:s
v1.PodDisruptionBudgetStatus conditions:[]v1.Condition currentHealthy!:i desiredHealthy!:i disruptedPods:{}t disruptionsAllowed!:i expectedPods!:i observedGeneration:l
v1.PodExtendedResourceClaimStatus requestMappings!:[]v1.ContainerExtendedResourceRequest resourceClaimName!:s
v1.PodFailurePolicy rules!:[]v1.PodFailurePolicyRule
v1.PodFailurePolicyOnExitCodesRequirement containerName:s operator!:s values!:[]i
v1.PodFailurePolicyOnPodConditionsPattern status!:s type!:s
v1.PodFailurePolicyRule action!:s onExitCodes:v1.PodFailurePolicyOnExitCodesRequirement onPodConditions:[]v1.PodFailurePolicyOnPodConditionsPattern
v1.PodIP ip!:s
v1.PodOS name!:s
v1.PodReadinessGate conditionType!:s
v1.PodResourceClaim name!:s resourceClaimName:s resourceClaimTemplateName:s
v1.PodResourceClaimStatus name!:s resourceClaimName:s
v1.PodSchedulingGate name!:s
v1.PodSecurityContext appArmorProfile:v1.AppArmorProfile fsGroup:l fsGroupChangePolicy:s runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s seLinuxOptions:v1.SELinuxOptions seccompProfile:v1.SeccompProfile supplementalGroups:[]l supplementalGroupsPolicy:s sysctls:[]v1.Sysctl windowsOptions:v1.WindowsSecurityContextOptions
v1.PodSpec activeDeadlineSeconds:l affinity:v1.Affinity automountServiceAccountToken:b containers!:[]v1.Container dnsConfig:v1.PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[]v1.EphemeralContainer hostAliases:[]v1.HostAlias hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:[]v1.LocalObjectReference initContainers:[]v1.Container nodeName:s nodeSelector:{}s os:v1.PodOS overhead:{}q preemptionPolicy:s priority:i priorityClassName:s readinessGates:[]v1.PodReadinessGate resourceClaims:[]v1.PodResourceClaim resources:v1.ResourceRequirements restartPolicy:s runtimeClassName:s schedulerName:s schedulingGates:[]v1.PodSchedulingGate securityContext:v1.PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:l tolerations:[]v1.Toleration topologySpreadConstraints:[]v1.TopologySpreadConstraint volumes:[]v1.Volume
v1.PodStatus conditions:[]v1.PodCondition containerStatuses:[]v1.ContainerStatus ephemeralContainerStatuses:[]v1.ContainerStatus extendedResourceClaimStatus:v1.PodExtendedResourceClaimStatus hostIP:s hostIPs:[]v1.HostIP initContainerStatuses:[]v1.ContainerStatus message:s nominatedNodeName:s observedGeneration:l phase:s podIP:s podIPs:[]v1.PodIP qosClass:s reason:s resize:s resourceClaimStatuses:[]v1.PodResourceClaimStatus startTime:t
v1.PodTemplate apiVersion:s kind:s metadata:v1.ObjectMeta template:v1.PodTemplateSpec
v1.PodTemplateSpec metadata:v1.ObjectMeta spec:v1.PodSpec
v1.PolicyRule apiGroups:[]s nonResourceURLs:[]s resourceNames:[]s resources:[]s verbs!:[]s
v1.PolicyRulesWithSubjects nonResourceRules:[]v1.NonResourcePolicyRule resourceRules:[]v1.ResourcePolicyRule subjects!:[]flowcontrol.v1.Subject
v1.PortStatus error:s port!:i protocol!:s
v1.PortworxVolumeSource fsType:s readOnly:b volumeID!:s
v1.PreferredSchedulingTerm preference!:v1.NodeSelectorTerm weight!:i
v1.PriorityClass apiVersion:s description:s globalDefault:b kind:s metadata:v1.ObjectMeta preemptionPolicy:s value!:i
v1.PriorityLevelConfiguration apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.PriorityLevelConfigurationSpec status:v1.PriorityLevelConfigurationStatus
v1.PriorityLevelConfigurationCondition lastTransitionTime:t message:s reason:s status:s type:s
v1.PriorityLevelConfigurationReference name!:s
v1.PriorityLevelConfigurationSpec exempt:v1.ExemptPriorityLevelConfiguration limited:v1.LimitedPriorityLevelConfiguration type!:s
v1.PriorityLevelConfigurationStatus conditions:[]v1.PriorityLevelConfigurationCondition
v1.Probe exec:v1.ExecAction failureThreshold:i grpc:v1.GRPCAction httpGet:v1.HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:v1.TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i
v1.ProjectedVolumeSource defaultMode:i sources:[]v1.VolumeProjection
v1.QueuingConfiguration handSize:i queueLengthLimit:i queues:i
v1.QuobyteVolumeSource group:s readOnly:b registry!:s tenant:s user:s volume!:s
v1.RBDPersistentVolumeSource fsType:s image!:s keyring:s monitors!:[]s pool:s readOnly:b secretRef:v1.SecretReference user:s
v1.RBDVolumeSource fsType:s image!:s keyring:s monitors!:[]s pool:s readOnly:b secretRef:v1.LocalObjectReference user:s
v1.ReplicaSet apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ReplicaSetSpec status:v1.ReplicaSetStatus
v1.ReplicaSetCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.ReplicaSetSpec minReadySeconds:i replicas:i selector!:v1.LabelSelector template:v1.PodTemplateSpec
v1.ReplicaSetStatus availableReplicas:i conditions:[]v1.ReplicaSetCondition fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas!:i terminatingReplicas:i
v1.ReplicationController apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ReplicationControllerSpec status:v1.ReplicationControllerStatus
v1.ReplicationControllerCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.ReplicationControllerSpec minReadySeconds:i replicas:i selector:{}s template:v1.PodTemplateSpec
v1.ReplicationControllerStatus availableReplicas:i conditions:[]v1.ReplicationControllerCondition fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas!:i
v1.ResourceClaimConsumerReference apiGroup:s name!:s resource!:s uid!:s
v1.ResourceClaimSpec devices:v1.DeviceClaim
v1.ResourceClaimStatus allocation:v1.AllocationResult devices:[]v1.AllocatedDeviceStatus reservedFor:[]v1.ResourceClaimConsumerReference
v1.ResourceClaimTemplate apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.ResourceClaimTemplateSpec
v1.ResourceClaimTemplateSpec metadata:v1.ObjectMeta spec!:v1.ResourceClaimSpec
v1.ResourceFieldSelector containerName:s divisor:q resource!:s
v1.ResourceHealth health:s resourceID!:s
v1.ResourcePolicyRule apiGroups!:[]s clusterScope:b namespaces:[]s resources!:[]s verbs!:[]s
v1.ResourcePool generation!:l name!:s resourceSliceCount!:l
v1.ResourceQuota apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ResourceQuotaSpec status:v1.ResourceQuotaStatus
v1.ResourceQuotaSpec hard:{}q scopeSelector:v1.ScopeSelector scopes:[]s
v1.ResourceQuotaStatus hard:{}q used:{}q
v1.ResourceRequirements claims:[]core.v1.ResourceClaim limits:{}q requests:{}q
v1.ResourceSlice apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.ResourceSliceSpec
v1.ResourceSliceSpec allNodes:b devices:[]v1.Device driver!:s nodeName:s nodeSelector:v1.NodeSelector perDeviceNodeSelection:b pool!:v1.ResourcePool sharedCounters:[]v1.CounterSet
v1.ResourceStatus name!:s resources:[]v1.ResourceHealth
v1.Role apiVersion:s kind:s metadata:v1.ObjectMeta rules:[]v1.PolicyRule
v1.RoleBinding apiVersion:s kind:s metadata:v1.ObjectMeta roleRef!:v1.RoleRef subjects:[]rbac.v1.Subject
v1.RoleRef apiGroup!:s kind!:s name!:s
v1.RollingUpdateDaemonSet maxSurge:x maxUnavailable:x
v1.RollingUpdateDeployment maxSurge:x maxUnavailable:x
v1.RollingUpdateStatefulSetStrategy maxUnavailable:x partition:i
v1.RuleWithOperations apiGroups:[]s apiVersions:[]s operations:[]s resources:[]s scope:s
v1.RuntimeClass apiVersion:s handler!:s kind:s metadata:v1.ObjectMeta overhead:v1.Overhead scheduling:v1.Scheduling
v1.SELinuxOptions level:s role:s type:s user:s
v1.ScaleIOPersistentVolumeSource fsType:s gateway!:s protectionDomain:s readOnly:b secretRef!:v1.SecretReference sslEnabled:b storageMode:s storagePool:s system!:s volumeName:s
v1.ScaleIOVolumeSource fsType:s gateway!:s protectionDomain:s readOnly:b secretRef!:v1.LocalObjectReference sslEnabled:b storageMode:s storagePool:s system!:s volumeName:s
v1.Scheduling nodeSelector:{}s tolerations:[]v1.Toleration
v1.ScopeSelector matchExpressions:[]v1.ScopedResourceSelectorRequirement
v1.ScopedResourceSelectorRequirement operator!:s scopeName!:s values:[]s
v1.SeccompProfile localhostProfile:s type!:s
v1.Secret apiVersion:s data:{}y immutable:b kind:s metadata:v1.ObjectMeta stringData:{}s type:s
v1.SecretEnvSource name:s optional:b
v1.SecretKeySelector key!:s name:s optional:b
v1.SecretProjection items:[]v1.KeyToPath name:s optional:b
v1.SecretReference name:s namespace:s
v1.SecretVolumeSource defaultMode:i items:[]v1.KeyToPath optional:b secretName:s
v1.SecurityContext allowPrivilegeEscalation:b appArmorProfile:v1.AppArmorProfile capabilities:v1.Capabilities privileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxOptions:v1.SELinuxOptions seccompProfile:v1.SeccompProfile windowsOptions:v1.WindowsSecurityContextOptions
v1.SelectableField jsonPath!:s
v1.Service apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ServiceSpec status:v1.ServiceStatus
v1.ServiceAccount apiVersion:s automountServiceAccountToken:b imagePullSecrets:[]v1.LocalObjectReference kind:s metadata:v1.ObjectMeta secrets:[]v1.ObjectReference
v1.ServiceAccountSubject name!:s namespace!:s
v1.ServiceAccountTokenProjection audience:s expirationSeconds:l path!:s
v1.ServiceBackendPort name:s number:i
v1.ServiceCIDR apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ServiceCIDRSpec status:v1.ServiceCIDRStatus
v1.ServiceCIDRSpec cidrs:[]s
v1.ServiceCIDRStatus conditions:[]v1.Condition
v1.ServicePort appProtocol:s name:s nodePort:i port!:i protocol:s targetPort:x
v1.ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[]s externalIPs:[]s externalName:s externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[]s ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[]s ports:[]v1.ServicePort publishNotReadyAddresses:b selector:{}s sessionAffinity:s sessionAffinityConfig:v1.SessionAffinityConfig trafficDistribution:s type:s
v1.ServiceStatus conditions:[]v1.Condition loadBalancer:v1.LoadBalancerStatus
v1.SessionAffinityConfig clientIP:v1.ClientIPConfig
v1.SleepAction seconds!:l
v1.StatefulSet apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.StatefulSetSpec status:v1.StatefulSetStatus
v1.StatefulSetCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v1.StatefulSetOrdinals start:i
v1.StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s whenScaled:s
v1.StatefulSetSpec minReadySeconds:i ordinals:v1.StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:v1.StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s replicas:i revisionHistoryLimit:i selector!:v1.LabelSelector serviceName:s template!:v1.PodTemplateSpec updateStrategy:v1.StatefulSetUpdateStrategy volumeClaimTemplates:[]v1.PersistentVolumeClaim
v1.StatefulSetStatus availableReplicas:i collisionCount:i conditions:[]v1.StatefulSetCondition currentReplicas:i currentRevision:s observedGeneration:l readyReplicas:i replicas!:i updateRevision:s updatedReplicas:i
v1.StatefulSetUpdateStrategy rollingUpdate:v1.RollingUpdateStatefulSetStrategy type:s
v1.StorageClass allowVolumeExpansion:b allowedTopologies:[]v1.TopologySelectorTerm apiVersion:s kind:s metadata:v1.ObjectMeta mountOptions:[]s parameters:{}s provisioner!:s reclaimPolicy:s volumeBindingMode:s
v1.StorageOSPersistentVolumeSource fsType:s readOnly:b secretRef:v1.ObjectReference volumeName:s volumeNamespace:s
v1.StorageOSVolumeSource fsType:s readOnly:b secretRef:v1.LocalObjectReference volumeName:s volumeNamespace:s
v1.SuccessPolicy rules!:[]v1.SuccessPolicyRule
v1.SuccessPolicyRule succeededCount:i succeededIndexes:s
v1.Sysctl name!:s value!:s
v1.TCPSocketAction host:s port!:x
v1.Taint effect!:s key!:s timeAdded:t value:s
v1.Toleration effect:s key:s operator:s tolerationSeconds:l value:s
v1.TopologySelectorLabelRequirement key!:s values!:[]s
v1.TopologySelectorTerm matchLabelExpressions:[]v1.TopologySelectorLabelRequirement
v1.TopologySpreadConstraint labelSelector:v1.LabelSelector matchLabelKeys:[]s maxSkew!:i minDomains:i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey!:s whenUnsatisfiable!:s
v1.TypeChecking expressionWarnings:[]v1.ExpressionWarning
v1.TypedLocalObjectReference apiGroup:s kind!:s name!:s
v1.TypedObjectReference apiGroup:s kind!:s name!:s namespace:s
v1.UncountedTerminatedPods failed:[]s succeeded:[]s
v1.UserSubject name!:s
v1.ValidatingAdmissionPolicy apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ValidatingAdmissionPolicySpec status:v1.ValidatingAdmissionPolicyStatus
v1.ValidatingAdmissionPolicyBinding apiVersion:s kind:s metadata:v1.ObjectMeta spec:v1.ValidatingAdmissionPolicyBindingSpec
v1.ValidatingAdmissionPolicyBindingSpec matchResources:v1.MatchResources paramRef:v1.ParamRef policyName:s validationActions:[]s
v1.ValidatingAdmissionPolicySpec auditAnnotations:[]v1.AuditAnnotation failurePolicy:s matchConditions:[]v1.MatchCondition matchConstraints:v1.MatchResources paramKind:v1.ParamKind validations:[]v1.Validation variables:[]v1.Variable
v1.ValidatingAdmissionPolicyStatus conditions:[]v1.Condition observedGeneration:l typeChecking:v1.TypeChecking
v1.ValidatingWebhook admissionReviewVersions!:[]s clientConfig!:admissionregistration.v1.WebhookClientConfig failurePolicy:s matchConditions:[]v1.MatchCondition matchPolicy:s name!:s namespaceSelector:v1.LabelSelector objectSelector:v1.LabelSelector rules:[]v1.RuleWithOperations sideEffects!:s timeoutSeconds:i
v1.ValidatingWebhookConfiguration apiVersion:s kind:s metadata:v1.ObjectMeta webhooks:[]v1.ValidatingWebhook
v1.Validation expression!:s message:s messageExpression:s reason:s
v1.ValidationRule fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s rule!:s
v1.Variable expression!:s name!:s
v1.Volume awsElasticBlockStore:v1.AWSElasticBlockStoreVolumeSource azureDisk:v1.AzureDiskVolumeSource azureFile:v1.AzureFileVolumeSource cephfs:v1.CephFSVolumeSource cinder:v1.CinderVolumeSource configMap:v1.ConfigMapVolumeSource csi:v1.CSIVolumeSource downwardAPI:v1.DownwardAPIVolumeSource emptyDir:v1.EmptyDirVolumeSource ephemeral:v1.EphemeralVolumeSource fc:v1.FCVolumeSource flexVolume:v1.FlexVolumeSource flocker:v1.FlockerVolumeSource gcePersistentDisk:v1.GCEPersistentDiskVolumeSource gitRepo:v1.GitRepoVolumeSource glusterfs:v1.GlusterfsVolumeSource hostPath:v1.HostPathVolumeSource image:v1.ImageVolumeSource iscsi:v1.ISCSIVolumeSource name!:s nfs:v1.NFSVolumeSource persistentVolumeClaim:v1.PersistentVolumeClaimVolumeSource photonPersistentDisk:v1.PhotonPersistentDiskVolumeSource portworxVolume:v1.PortworxVolumeSource projected:v1.ProjectedVolumeSource quobyte:v1.QuobyteVolumeSource rbd:v1.RBDVolumeSource scaleIO:v1.ScaleIOVolumeSource secret:v1.SecretVolumeSource storageos:v1.StorageOSVolumeSource vsphereVolume:v1.VsphereVirtualDiskVolumeSource
v1.VolumeAttachment apiVersion:s kind:s metadata:v1.ObjectMeta spec!:v1.VolumeAttachmentSpec status:v1.VolumeAttachmentStatus
v1.VolumeAttachmentSource inlineVolumeSpec:v1.PersistentVolumeSpec persistentVolumeName:s
v1.VolumeAttachmentSpec attacher!:s nodeName!:s source!:v1.VolumeAttachmentSource
v1.VolumeAttachmentStatus attachError:v1.VolumeError attached!:b attachmentMetadata:{}s detachError:v1.VolumeError
v1.VolumeAttributesClass apiVersion:s driverName!:s kind:s metadata:v1.ObjectMeta parameters:{}s
v1.VolumeDevice devicePath!:s name!:s
v1.VolumeError errorCode:i message:s time:t
v1.VolumeMount mountPath!:s mountPropagation:s name!:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
v1.VolumeMountStatus mountPath!:s name!:s readOnly:b recursiveReadOnly:s
v1.VolumeNodeAffinity required:v1.NodeSelector
v1.VolumeNodeResources count:i
v1.VolumeProjection clusterTrustBundle:v1.ClusterTrustBundleProjection configMap:v1.ConfigMapProjection downwardAPI:v1.DownwardAPIProjection podCertificate:v1.PodCertificateProjection secret:v1.SecretProjection serviceAccountToken:v1.ServiceAccountTokenProjection
v1.VolumeResourceRequirements limits:{}q requests:{}q
v1.VsphereVirtualDiskVolumeSource fsType:s storagePolicyID:s storagePolicyName:s volumePath!:s
v1.WebhookConversion clientConfig:apiextensions.v1.WebhookClientConfig conversionReviewVersions!:[]s
v1.WeightedPodAffinityTerm podAffinityTerm!:v1.PodAffinityTerm weight!:i
v1.WindowsSecurityContextOptions gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
v2.ContainerResourceMetricSource container!:s name!:s target!:v2.MetricTarget
v2.ContainerResourceMetricStatus container!:s current!:v2.MetricValueStatus name!:s
v2.CrossVersionObjectReference apiVersion:s kind!:s name!:s
v2.ExternalMetricSource metric!:v2.MetricIdentifier target!:v2.MetricTarget
v2.ExternalMetricStatus current!:v2.MetricValueStatus metric!:v2.MetricIdentifier
v2.HPAScalingPolicy periodSeconds!:i type!:s value!:i
v2.HPAScalingRules policies:[]v2.HPAScalingPolicy selectPolicy:s stabilizationWindowSeconds:i tolerance:s
v2.HorizontalPodAutoscaler apiVersion:s kind:s metadata:v1.ObjectMeta spec:v2.HorizontalPodAutoscalerSpec status:v2.HorizontalPodAutoscalerStatus
v2.HorizontalPodAutoscalerBehavior scaleDown:v2.HPAScalingRules scaleUp:v2.HPAScalingRules
v2.HorizontalPodAutoscalerCondition lastTransitionTime:t message:s reason:s status!:s type!:s
v2.HorizontalPodAutoscalerSpec behavior:v2.HorizontalPodAutoscalerBehavior maxReplicas!:i metrics:[]v2.MetricSpec minReplicas:i scaleTargetRef!:v2.CrossVersionObjectReference
v2.HorizontalPodAutoscalerStatus conditions:[]v2.HorizontalPodAutoscalerCondition currentMetrics:[]v2.MetricStatus currentReplicas:i desiredReplicas!:i lastScaleTime:t observedGeneration:l
v2.MetricIdentifier name!:s selector:v1.LabelSelector
v2.MetricSpec containerResource:v2.ContainerResourceMetricSource external:v2.ExternalMetricSource object:v2.ObjectMetricSource pods:v2.PodsMetricSource resource:v2.ResourceMetricSource type!:s
v2.MetricStatus containerResource:v2.ContainerResourceMetricStatus external:v2.ExternalMetricStatus object:v2.ObjectMetricStatus pods:v2.PodsMetricStatus resource:v2.ResourceMetricStatus type!:s
v2.MetricTarget averageUtilization:i averageValue:q type!:s value:q
v2.MetricValueStatus averageUtilization:i averageValue:q value:q
v2.ObjectMetricSource describedObject!:v2.CrossVersionObjectReference metric!:v2.MetricIdentifier target!:v2.MetricTarget
v2.ObjectMetricStatus current!:v2.MetricValueStatus describedObject!:v2.CrossVersionObjectReference metric!:v2.MetricIdentifier
v2.PodsMetricSource metric!:v2.MetricIdentifier target!:v2.MetricTarget
v2.PodsMetricStatus current!:v2.MetricValueStatus metric!:v2.MetricIdentifier
v2.ResourceMetricSource name!:s target!:v2.MetricTarget
v2.ResourceMetricStatus current!:v2.MetricValueStatus name!:s
`;

{{- /* SPDX-License-Identifier: MIT */ -}}
{{- define "raimd.labels" -}}
app.kubernetes.io/name: raimd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "raimd.config" -}}
{{- if .Values.agones.enabled }}
{{- .Values.agones.config | trim }}
{{- $last := sub (add .Values.agones.firstPort .Values.agones.arenas) 1 }}
on_demand = {
  ports = "{{ .Values.agones.firstPort }}-{{ $last }}";
  {{- .Values.agones.onDemand | trim | nindent 2 }}
};
agones = {
  mode = "on";
  ready = true;
  drain = {{ sub .Values.agones.terminationGracePeriodSeconds 10 }};
};
{{- else }}
{{- .Values.config | trim }}
{{- if .Values.web.enabled }}
gateway = { key_file = "/gateway/key"; };
{{- end }}
{{- end }}
{{- end }}

{{- /* The pod of a server: without root, capabilities and a file system to write to. */ -}}
{{- define "raimd.pod" -}}
metadata:
  labels:
    {{- include "raimd.labels" . | nindent 4 }}
  annotations:
    raimd/config: {{ include "raimd.config" . | sha256sum }}
spec:
  {{- if .Values.agones.enabled }}
  terminationGracePeriodSeconds: {{ .Values.agones.terminationGracePeriodSeconds }}
  # Agones' own, Never, would end the pod of a raimd that crashed, with its checkpoints and arenas.
  restartPolicy: OnFailure
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    seccompProfile: {type: RuntimeDefault}
  {{- if not .Values.agones.enabled }}
  automountServiceAccountToken: false
  {{- end }}
  containers:
    - name: raimd
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      args: ["-c", "/config/raimd.conf"]
      ports:
        - {name: status, containerPort: 7246, protocol: TCP}
        {{- if not .Values.agones.enabled }}
        {{- range .Values.service.ports }}
        - {name: "udp-{{ . }}", containerPort: {{ . }}, protocol: UDP}
        {{- end }}
        {{- end }}
      {{- if not .Values.agones.enabled }}
      # An overloaded server gets no more players, but is not killed.
      livenessProbe: {httpGet: {path: /healthz, port: status}, periodSeconds: 10}
      readinessProbe: {httpGet: {path: /readyz, port: status}, periodSeconds: 5}
      {{- end }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: config, mountPath: /config, readOnly: true}
        - {name: run, mountPath: /run/raimd}
        - {name: state, mountPath: /var/lib/raimd}
        {{- if .Values.web.enabled }}
        - {name: gateway, mountPath: /gateway, readOnly: true}
        {{- end }}
  volumes:
    - name: config
      configMap: {name: {{ .Release.Name }}-config}
    - name: run
      emptyDir: {medium: Memory, sizeLimit: 64Mi}
    - name: state
      emptyDir: {sizeLimit: {{ .Values.stateSize }}}
    {{- if .Values.web.enabled }}
    - name: gateway
      secret: {secretName: {{ .Values.web.keySecret }}, defaultMode: 0440}
    {{- end }}
{{- end }}

package dev.weft.fabric.cluster;

/**
 * A message of the control plane that may travel to another JVM. It is bound to {@link KryoControlSerializer}; every
 * class that can occur in it has to be registered by a {@link ControlClasses}.
 */
public interface ControlMessage {}

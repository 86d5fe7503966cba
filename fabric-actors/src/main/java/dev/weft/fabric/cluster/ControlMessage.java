package dev.weft.fabric.cluster;

/**
 * A message of the control plane that may travel to another JVM. {@link KryoControlSerializer} serializes it; a {@link
 * ControlClasses} must register every class that can occur in it.
 */
public interface ControlMessage {}

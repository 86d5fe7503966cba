package dev.weft.fabric.cluster;

/**
 * Registers the classes that one module may send over the control plane. {@link java.util.ServiceLoader} finds the implementations, so a
 * module adds a line to {@code META-INF/services/dev.weft.fabric.cluster.ControlClasses}.
 *
 * <p>Ids are part of the wire format: a module owns a hundred ids and never reuses one. Taken are 10 to 99 for the JDK's classes and Akka's
 * references, 100 to 199 for fabric, 200 to 299 for hca, and 300 to 799 for the services of this repository, a hundred for each. Other
 * services take ids from 1000 on. If an id is taken already, the start fails with an error that names both classes.
 */
public interface ControlClasses {
  /** Adds the classes and their ids to {@code registry}. Called once for each serializer instance, from any thread. */
  void register(ControlRegistry registry);
}

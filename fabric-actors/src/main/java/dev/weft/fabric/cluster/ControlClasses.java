package dev.weft.fabric.cluster;

/**
 * What one module may send over the control plane. Implementations are found by {@link java.util.ServiceLoader}, so a
 * module adds a line to {@code META-INF/services/dev.weft.fabric.cluster.ControlClasses}.
 *
 * <p>Ids are part of the wire format: a module owns a hundred of them and never reuses one. Taken: 10 to 99 the JDK's
 * classes and Akka's references, 100 to 199 fabric, 200 to 299 hca, 300 to 799 the services of this repository in hundreds, each in its own
 * provider. Services from elsewhere take ids from 1000 on; one that is taken already is refused at start, with both classes.
 */
public interface ControlClasses {
  /** Names the classes and their ids. Called once for each serializer instance, from any thread. */
  void register(ControlRegistry registry);
}

package dev.weft.launcher.http;

import dev.weft.fabric.admission.AuthenticatedSerializer;
import dev.weft.fabric.trunk.TrunkReceiver;

/**
 * The section {@code admission}: counts of what this JVM has rejected since it started.
 *
 * @param refusedJoins JVMs that did not know the fabric's secret; 0 in a JVM without an admission desk
 * @param refusedMessages control messages without the right authentication code
 * @param refusedTrunks rejected trunks
 */
public record AdmissionSection(long refusedJoins, long refusedMessages, TrunkReceiver.Refusals refusedTrunks) {
  /** Name of the section. */
  public static final String NAME = "admission";

  /** Makes the section with the present counts. Any thread. */
  public static AdmissionSection of(long refusedJoins, TrunkReceiver.Refusals trunks) {
    return new AdmissionSection(refusedJoins, AuthenticatedSerializer.refusals(), trunks);
  }
}

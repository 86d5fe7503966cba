package dev.weft.launcher.http;

import dev.weft.fabric.admission.AuthenticatedSerializer;
import dev.weft.fabric.trunk.TrunkReceiver;

/**
 * The section {@code admission}: what this JVM has refused since it started.
 *
 * @param refusedJoins JVMs that did not know the fabric's secret; 0 where JVMs are not admitted
 * @param refusedMessages control messages without the right code of authentication
 */
public record AdmissionSection(long refusedJoins, long refusedMessages, TrunkReceiver.Refusals refusedTrunks) {
  /** Its name. */
  public static final String NAME = "admission";

  /** Any thread. */
  public static AdmissionSection of(long refusedJoins, TrunkReceiver.Refusals trunks) {
    return new AdmissionSection(refusedJoins, AuthenticatedSerializer.refusals(), trunks);
  }
}

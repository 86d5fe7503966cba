package dev.weft.hca.verbs;

/** A protection domain: queue pairs use only memory regions of their own domain. */
public interface ProtectionDomain {
  Adapter hca();

  int handle();
}

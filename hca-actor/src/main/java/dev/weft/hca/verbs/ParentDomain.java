package dev.weft.hca.verbs;


/**
 * A protection domain with an allocator for the native memory of queue pairs created in it, as {@code ibv_parent_domain}. These queue pairs belong to the
 * protection domain.
 */
public interface ParentDomain {
  ProtectionDomain pd();
}

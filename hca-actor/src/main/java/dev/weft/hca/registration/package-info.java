/**
 * Strategies that decide when memory is registered and deregistered (PVFS over InfiniBand sections 5.3 and 5.4). Begin with {@link
 * dev.weft.hca.registration.RegistrationStrategy}.
 *
 * <p>Invariants: a strategy never deregisters a registration that is in use; it never returns the old registration of freed memory; the count and the
 * bytes of idle registrations are bounded.
 */
package dev.weft.hca.registration;

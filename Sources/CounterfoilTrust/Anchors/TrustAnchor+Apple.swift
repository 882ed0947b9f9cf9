// SPDX-License-Identifier: Apache-2.0

/// What identifies Apple's own authorities: digests, names and public keys of their certificates.
///
/// A pin holds everything that a path check needs, so no certificate has to be shipped, and one that
/// lies in the evidence is never looked at as an anchor.
extension TrustAnchor {
    /// The RSA root of 2006, above every app receipt.
    static let appleRootCA = TrustAnchor(
        pinned: "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024",
        from: "2006-04-25T21:40:36Z", to: "2035-02-09T21:40:36Z",
        subject: """
            MGIxCzAJBgNVBAYTAlVTMRMwEQYDVQQKEwpBcHBsZSBJbmMuMSYwJAYDVQQLEx1B\
            cHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTEWMBQGA1UEAxMNQXBwbGUgUm9v\
            dCBDQQ==
            """,
        subjectPublicKeyInfo: """
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA5JGpCR+R2x5HUOsF7V55\
            hC3rNqJXTFXsixmJ3vlLbPUHqyIwAugYPvhQCdN/QaiY+dHKZpwkaxHQo7vkGyrD\
            H5WeegykR4tb1BY3M8vED03OFGnRyRly9V0O1X9fm/IlA7pVj01dDfFkNSMVSxVZ\
            HbOU9/acns9QusFYUGePCLQg98usLCBvcLY/ATCMt0PPD5098ytJKBrI/s61uQ7Z\
            XhzWyz21Oq30Dw4AkguxIRYudNU8DdtiFqujcZJHU1XBry9Bs/j743DN5qNMRX4f\
            TGtQlkGJxHRiCxCDQYczioGxMFjsWgQyjGizjx3eZXP/Z15lvEnYdp8zFGWhd5TJ\
            LQIDAQAB
            """)

    /// The RSA root of 2014, one of the three that Apple names.
    static let appleRootCAG2 = TrustAnchor(
        pinned: "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050",
        from: "2014-04-30T18:10:09Z", to: "2039-04-30T18:10:09Z",
        subject: """
            MGcxGzAZBgNVBAMMEkFwcGxlIFJvb3QgQ0EgLSBHMjEmMCQGA1UECwwdQXBwbGUg\
            Q2VydGlmaWNhdGlvbiBBdXRob3JpdHkxEzARBgNVBAoMCkFwcGxlIEluYy4xCzAJ\
            BgNVBAYTAlVT
            """,
        subjectPublicKeyInfo: """
            MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA2BESSEjaKYpJxRzH7G4z\
            bf5N++Ac3qxe4janJPl/UGtMzrkwVCfls9btJeYwtgU3XhQiEcXoqhvS+7LSCZU4\
            pO8qSYxdPnFmAzj7FvWFiORakgwEMvLIQPtSX5/2wPHjukWgUNUSi/Ld3pGGI/D1\
            tnIuAdoL9i45CF8ZoWNBCxynlMGGxFMvdvYK1wzRgz8aUxnzV9Unf/wTuPiSjfzT\
            KEM8tWgAJV0nYtPdVd1EIJCDNZPFv7gZ+2vj3AhC5q9t+p5Ayk6FhXhJsdfDwTA5\
            Mqt+X6rTi2+fLRohaHBns6PxmEFtkXz419uo518hGowzvzF0t7jR9OAi9L9yNN/3\
            gU1xfVGh4rPw0ygWc2/NzK03fU7rrUDhP4H99z0KPqLxvTGWKVncwhmAjFt0xizT\
            EFMmHRRPxNSBZjyHZzMnFAjptHeENFKPifhomBe/w7uqE5MfXVQvqMd8+w0UvhU9\
            JDTymtx1QWYitAHWC6+QngzqYvibWTwI4pY05GPevDfU6wyIA0MLUK+gNN1QTRX7\
            WiTYDPoMY54fA7Hh7uGqQ/RmZSg3AjHvAcce0cyfbcpUOkDbzs9PRotKZZpqxmhs\
            18yZG0ewcsN3j8T3YZx0H879a6HCnJSCq5Si570burlwOZUXxSnzOVg09cSkxntg\
            uWZDUD9uYfwO+YaqYAxDS5UCAwEAAQ==
            """)

    /// The P-384 root of 2014, above every JWS.
    static let appleRootCAG3 = TrustAnchor(
        pinned: "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179",
        from: "2014-04-30T18:19:06Z", to: "2039-04-30T18:19:06Z",
        subject: """
            MGcxGzAZBgNVBAMMEkFwcGxlIFJvb3QgQ0EgLSBHMzEmMCQGA1UECwwdQXBwbGUg\
            Q2VydGlmaWNhdGlvbiBBdXRob3JpdHkxEzARBgNVBAoMCkFwcGxlIEluYy4xCzAJ\
            BgNVBAYTAlVT
            """,
        subjectPublicKeyInfo: """
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEmOkvPUBypO2TInKBExzdEJXxxaNOcdwU\
            FtkO5aYFKndke19OONO7HES1f/UftjJiXcnphFtPME8RWgD9WFgMpfUPLE0HRxN1\
            2peXl28xXO0rnXsgO9i5VNlemaQ6UQox
            """)

    /// The authority above the signers of iOS 6 receipts, which do not carry it.
    static let iTunesStoreCA2009 = TrustAnchor(
        pinned: "447ad65484610f20fdc33804c8597a1e208fbe4ef9c5653485cc7d3df730c016",
        from: "2009-05-19T18:31:30Z", to: "2016-05-18T18:31:30Z",
        subject: """
            MH8xCzAJBgNVBAYTAlVTMRMwEQYDVQQKDApBcHBsZSBJbmMuMSYwJAYDVQQLDB1B\
            cHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTEzMDEGA1UEAwwqQXBwbGUgaVR1\
            bmVzIFN0b3JlIENlcnRpZmljYXRpb24gQXV0aG9yaXR5
            """,
        subjectPublicKeyInfo: """
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApLyvMpRDPgu8N4fNY4ny\
            zNm+IE1atP6HZ9Ka3hpUnaLz34fkTMuTEXigMI80QcHTvmZtR2yYuOx61cndpeTq\
            xnD0NdCR97PYChGZqzpiOr179FZP258kk1FQfCDVZk1m8xikE5YiFv0xp/Q5Zpv7\
            YmlcS5+UqEvo7FtkWhh5ihZ1Y0KkSdmMM96te9Y5BPTinQppjOtLEihLNEgHmw5Z\
            +R9isAOfNrhOo9N1WdTzOgXKxTM7+MAGCQiT2+dNvxHzUiylFjUV80ECzQLR/PX4\
            xYS9Y2qG1raZ9oauX/0D1CiKWl2vvGV00fcaw5II9BytaegCTA6VFQe8vmpvwbOt\
            oQIDAQAB
            """)
}

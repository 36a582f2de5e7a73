package core

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// Authority is an instance's own certificate authority.
type Authority struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
	pem         string
}

// organization is what every certificate of the fake says it belongs to.
const organization = "Instance hosting"

// Certificates are judged by the real time of whoever connects, and the fake's
// clock may be far ahead of it. So their times are real, with room for a clock
// that is a little behind.
const (
	backdated  = time.Hour
	validYears = 10
)

func newAuthority(name string) (*Authority, error) {
	template, err := newCertificate(name)
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.MaxPathLenZero = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{key: key, certificate: certificate, pem: encodePEM("CERTIFICATE", der)}, nil
}

// PEM is the authority's certificate.
func (a *Authority) PEM() string { return a.pem }

// Issue makes a server's certificate for a host, which is a name or an address,
// and the key to it, both as PEM. The host is the common name too: libpq before
// version 15 finds an address nowhere else. The certificate is for the others too.
func (a *Authority) Issue(host string, others ...string) (certificate, key string, err error) {
	template, err := newCertificate(host)
	if err != nil {
		return "", "", err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range append([]string{host}, others...) {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &private.PublicKey, a.key)
	if err != nil {
		return "", "", err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	return encodePEM("CERTIFICATE", der), encodePEM("PRIVATE KEY", encoded), nil
}

// newCertificate is what all certificates have in common.
func newCertificate(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: []string{organization}},
		NotBefore:    now.Add(-backdated),
		NotAfter:     now.AddDate(validYears, 0, 0),
	}, nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
